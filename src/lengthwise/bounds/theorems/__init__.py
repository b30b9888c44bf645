"""The theorems of Izzo et al., repaired, with explicit constants."""
