"""Languages: regexes, automata and files of them, predicates, sampling, counting, drawing."""
