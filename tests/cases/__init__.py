"""Tables and oracles that tests at several levels share."""
