"""The forward pass of Limit Transformers, in four precision regimes."""
