"""The numbered statements, figures and tables of the papers, read from the papers and not from the rows."""

_TEXT = {
    "huang": """
        Theorem 1, Definition 2, Definition 3, Definition 4, Definition 5, Definition 6, Theorem 7,
        Definition 8, Theorem 9, Theorem 10, Lemma 11, Theorem 12, Figure 1, Corollary 13, Theorem 14,
        Remark 15, Definition 16, Lemma 17, Corollary 18, Theorem 19, Corollary 20, Remark 21,
        Definition 22, Theorem 23, Corollary 24, Remark 25, Corollary 26, Theorem 27, Remark 28, Lemma 29,
        Definition 30, Proposition 31, Remark 32, Definition 33, Lemma 34, Lemma 35, Lemma 36, Lemma 37,
        Lemma 38, Proposition 39, Lemma 40, Lemma 41, Table 1, Table 2, Lemma 42, Table 3, Table 4, Table 5,
        Table 6, Table 7, Figure 2, Definition 43, Figure 3, Figure 4, Remark 44, Remark 45, Definition 46,
        Lemma 47, Lemma 48, Lemma 49, Definition 50, Proposition 51, Lemma 52, Lemma 53, Proposition 54,
        Conjecture 55, Figure 5, Figure 6, Lemma 56, Definition 57, Theorem 58, Proposition 59, Figure 7,
        Figure 8, Figure 9, Figure 10, Figure 11
    """,
    "izzo": """
        Theorem 4.1, Theorem 4.2, Definition 5.1, Theorem 5.2, Lemma 5.3, Figure 1, Figure 2,
        Definition 5.4, Figure 3, Figure 4, Definition A.1, Lemma A.2, Lemma A.3, Lemma A.4, Lemma A.5,
        Lemma A.6, Lemma A.7, Lemma A.8, Lemma A.9, Lemma A.10, Lemma B.1, Lemma B.2
    """,
    "izzo-workshop": """
        Figure 1, Figure 2, Theorem 4.1, Figure 3
    """,
    "golowich": """
        Definition 3.1, Proposition 3.1, Definition 3.2, Definition 3.3, Proposition 3.2, Assumption 3.3,
        Assumption 4.1, Assumption 4.2, Theorem 4.3, Definition 4.1, Proposition 4.4, Remark 4.2,
        Remark 5.1, Remark 5.2, Figure 1, Figure 2, Figure 3, Figure 4, Table 1, Figure 5, Figure 6,
        Definition B.1, Proposition B.1, Lemma C.1, Lemma C.2, Proposition C.3, Assumption D.1,
        Proposition D.2, Table 2, Figure 7, Table 3, Figure 8, Table 4, Table 5
    """,
    "edelman": """
        Definition 2.1, Figure 1, Lemma 2.2, Definition 3.1, Definition 3.2, Assumption 4.1, Theorem 4.2,
        Lemma 4.3, Corollary 4.4, Lemma 4.5, Theorem 4.6, Proposition 4.7, Figure 2, Figure 3,
        Definition A.1, Lemma A.2, Corollary A.3, Theorem A.4, Lemma A.5, Lemma A.6, Corollary A.7,
        Lemma A.8, Lemma A.9, Lemma A.10, Lemma A.11, Lemma A.12, Lemma A.13, Lemma A.14, Lemma A.15,
        Lemma A.16, Theorem A.17, Proposition B.1, Lemma B.2, Lemma B.3, Lemma B.4, Lemma B.5, Lemma B.6,
        Lemma B.7, Lemma B.8, Figure 4
    """,
}
LABELS = {paper: [label.strip() for label in text.split(",")] for paper, text in _TEXT.items()}
"""By the names of the papers, in their order."""
