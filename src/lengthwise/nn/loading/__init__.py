"""Weights from elsewhere as decoders: compiled models, constructions for Boolean functions, GPT-2."""
