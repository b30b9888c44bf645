"""Experiments that survive: run configs, training, evaluation over lengths, sweeps, and the store of runs."""
