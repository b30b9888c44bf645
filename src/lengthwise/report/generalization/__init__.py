"""Length generalization as Huang et al. report it: their Figure 1, and verdict against outcome as a confusion table.

`source` is a published experiment, `outcomes` what a store has on it. `tables` and `claims` say that in numbers,
`panels` and `overlay` draw it, and `reproduction` writes all of it to files. `beside` sets it beside Tables 2 and 3.
"""
