"""Length generalization measured as in Huang et al., section 5 and appendix E: trained up to 50, tested up to 150.

An `Experiment` is a list of tasks with the models of Tables 4 to 7. Each task with a scheme is a `Cell`, which is
trained until enough seeds have learned it; `measured` says what came of it, and `confusion` sets that beside what
`decide` and other theories predict.
"""
