"""The panels of published figures, one file for each kind, drawn from what a store has."""
