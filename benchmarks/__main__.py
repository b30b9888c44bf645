"""`python -m benchmarks [--quick] [--json]`: all tables."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from benchmarks import (
    atlas_speed,
    coupled_speed,
    crasp_speed,
    decide_speed,
    gpt2_speed,
    limit_speed,
    positional_speed,
    probe_speed,
    proof_speed,
    task_speed,
    training_speed,
)
from lengthwise.crasp import load


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the longest inputs")
    parser.add_argument("--json", action="store_true", help="print the measurements as JSON")
    arguments = parser.parse_args()
    longest = 10**6 if arguments.quick else 10**7
    programs = crasp_speed.measure(arguments.quick)
    linear = {name: crasp_speed.growth(load(name), longest) for name in crasp_speed.PROGRAMS}
    models = limit_speed.measure(arguments.quick)
    decisions = decide_speed.measure(arguments.quick)
    proofs = proof_speed.measure(arguments.quick)
    samplers = task_speed.measure(arguments.quick)
    training = training_speed.measure(arguments.quick)
    gpt2 = gpt2_speed.measure(arguments.quick)
    probes = probe_speed.measure(arguments.quick)
    products = positional_speed.measure(arguments.quick)
    coupled = coupled_speed.measure(arguments.quick)
    atlases = atlas_speed.measure(arguments.quick)
    if arguments.json:
        measured = {
            "crasp": crasp_speed.as_records(programs),
            "crasp_growth": linear,
            "limit": limit_speed.as_records(models),
            "limit_growth": limit_speed.growth(models),
            "decide": decide_speed.as_records(decisions),
            "proofs": proof_speed.as_records(proofs),
            "tasks": task_speed.as_records(samplers),
            "training": training_speed.as_records(training),
            "gpt2": gpt2_speed.as_records(gpt2),
            "probes": probe_speed.as_records(probes),
            "positional": positional_speed.as_records(products),
            "coupled": coupled_speed.as_records(coupled),
            "atlas": [asdict(row) for row in atlases],
        }
        print(json.dumps(measured, indent=2))
        return
    print("C-RASP programs: millions of symbols per second, one core (columns: benchmarks/crasp_speed.py)\n")
    print(crasp_speed.table(programs))
    exponents = ", ".join(f"{name} {exponent:.2f}" for name, exponent in linear.items())
    print(f"\ngrowth exponent of the verdict's time (1 is linear): {exponents}")
    print("\n\nLimit Transformers: seconds for one word (columns: benchmarks/limit_speed.py)\n")
    print(limit_speed.table(models))
    print("\n\nDeciding regular languages: milliseconds (columns: benchmarks/decide_speed.py)\n")
    print(decide_speed.table(decisions))
    print("\n\nProofs: milliseconds of processor time (columns: benchmarks/proof_speed.py)\n")
    print(proof_speed.table(proofs))
    print("\n\nTask samplers: microseconds per word (columns: benchmarks/task_speed.py)\n")
    print(task_speed.table(samplers))
    print("\n\nTraining: steps per cpu-second and seed (columns: benchmarks/training_speed.py)\n")
    print(training_speed.table(training))
    print("\n\nGPT-2: cpu-milliseconds of a training step (columns: benchmarks/gpt2_speed.py)\n")
    print(gpt2_speed.table(gpt2))
    print("\n\nProbes: a step of training for one trial (columns: benchmarks/probe_speed.py)\n")
    print(probe_speed.table(probes))
    print("\n\nPositional functions: a step of fitting for one trial (columns: benchmarks/positional_speed.py)\n")
    print(positional_speed.table(products))
    print("\n\nPredictive position coupling: a step of training (columns: benchmarks/coupled_speed.py)\n")
    print(coupled_speed.table(coupled))
    print("\n\nAtlases: distinct functions a minute of processor time, C-RASP[∅] (benchmarks/atlas_speed.py)\n")
    print(atlas_speed.table(atlases))


if __name__ == "__main__":
    main()
