"""Witnesses: why a language is in no class, as data that is searched for here and checked in `proofs`."""
