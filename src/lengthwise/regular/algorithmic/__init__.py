"""The algorithmic tasks of Huang et al., Table 3: which of them C-RASP expresses, with programs and arguments."""
