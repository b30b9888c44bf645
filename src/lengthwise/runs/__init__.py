"""Runs that survive: configs, training, evaluation over lengths, sweeps, and the store of finished runs."""
