"""What predictions of text depend on (Golowich et al., 5.3): pairs of models, their outcomes, figures and claims."""
