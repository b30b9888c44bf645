"""What the authors report of an experiment, as if it had been measured: one mean for each cell and bin.

The paper draws these means and prints none. They are in the files that belong to it, in percent (on GitHub,
lacoco-lab/length_generalization, `formal_lang_suite/visualise/data_local.py`), and stand with the entries of the
experiment. So the same tables can be made of them: how often would a predictor be wrong on the authors' own numbers?

By the paper, means are over seeds that reached 100 % on words of training lengths. Where the mean there is less, they
cannot be, and how many seeds learned the task is not said; so a cell counts as learned from a mean of 95 % on.
"""

from __future__ import annotations

from lengthwise.experiments.generalization.cell import Seed
from lengthwise.experiments.generalization.experiment import Experiment
from lengthwise.experiments.generalization.measured import LEARNED, Measured


def reported(experiment: Experiment) -> list[Measured]:
    """The cells that the authors report accuracies of, in the order of the experiment."""
    found = []
    for entry in experiment.entries:
        for scheme in entry.reported:
            if (size := entry.of(scheme)) is None:
                continue
            cell = experiment.cell(entry, scheme, size, wanted=1, most=1)
            if (means := cell.reported) is not None:
                found.append(Measured(cell, (Seed(0, means[0] >= LEARNED, size.steps, means),)))
    return found
