"""Training one config: batches, losses, stopping rules, and evaluation over lengths."""
