"""Regular languages: regex and automata, their syntactic monoid and classes, and whether C-RASP can express them."""
