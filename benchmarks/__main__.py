"""`python -m benchmarks [--quick] [--json]`: all tables."""

from __future__ import annotations

import argparse
import json

from benchmarks import crasp_speed
from lengthwise.crasp import load


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=crasp_speed.__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the longest inputs")
    parser.add_argument("--json", action="store_true", help="print the rates as JSON")
    arguments = parser.parse_args()
    rows = crasp_speed.measure(arguments.quick)
    exponents = {
        name: crasp_speed.growth(load(name), 10**6 if arguments.quick else 10**7) for name in crasp_speed.PROGRAMS
    }
    if arguments.json:
        print(json.dumps({"speed": crasp_speed.as_records(rows), "growth": exponents}, indent=2))
        return
    print("Millions of symbols per second, one core (see benchmarks/crasp_speed.py for the columns)\n")
    print(crasp_speed.table(rows))
    print(
        "\nGrowth exponent of the verdict's time (1 is linear): "
        + ", ".join(f"{n} {e:.2f}" for n, e in exponents.items())
    )


if __name__ == "__main__":
    main()
