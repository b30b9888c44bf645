"""Ordinary transformers: to and from Limit Transformers, their product functions and the class Θ_n."""
