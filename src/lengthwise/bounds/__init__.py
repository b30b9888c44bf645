"""Numbers from theorems: how long training inputs must be, and the short strings that stand in for long ones."""
