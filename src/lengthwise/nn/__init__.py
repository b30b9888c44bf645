"""Small transformers in PyTorch: one page of model, one file for each position scheme, all seeds at once."""
