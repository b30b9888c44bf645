"""Runs that survive: configs, training, evaluation over lengths, sweeps, and the store of finished runs.

    RunConfig     all settings of a run; its hash is the run's id
    run_sweep     makes the runs that a store lacks, in parallel
    Store, Run    where runs are kept, and one of them: settings, results, models
    expand        one config for each point of a grid of settings

`lw.train` does all of this for one task.
"""

from lengthwise.runs import text
from lengthwise.runs.comparison import Comparison, LeftOut, comparison
from lengthwise.runs.config import ConfigError, RunConfig
from lengthwise.runs.display.progress import Progress
from lengthwise.runs.engines.engine import Engine, Local, Serial, get_engine, register_engine
from lengthwise.runs.grid import expand
from lengthwise.runs.run import Prediction, Run
from lengthwise.runs.settings import EvaluationSettings, ModelSettings, OptimizerSettings, StoppingSettings
from lengthwise.runs.store.run_directory import RunDirectory, RunError
from lengthwise.runs.store.store import Row, Store
from lengthwise.runs.store.summary import Summary, summarise
from lengthwise.runs.sweep import Failure, Sweep, pending, run_sweep
from lengthwise.runs.training.train import train_run

__all__ = [
    "Comparison",
    "ConfigError",
    "Engine",
    "EvaluationSettings",
    "Failure",
    "LeftOut",
    "Local",
    "ModelSettings",
    "OptimizerSettings",
    "Prediction",
    "Progress",
    "Row",
    "Run",
    "RunConfig",
    "RunDirectory",
    "RunError",
    "Serial",
    "StoppingSettings",
    "Store",
    "Summary",
    "Sweep",
    "comparison",
    "expand",
    "get_engine",
    "pending",
    "register_engine",
    "run_sweep",
    "summarise",
    "text",
    "train_run",
]
