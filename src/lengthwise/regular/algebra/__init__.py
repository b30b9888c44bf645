"""The algebra of a language: its transition monoid, Green's relations, semigroups, classical classes."""
