"""What measurements say about a claim: a number with its interval, and a verdict."""
