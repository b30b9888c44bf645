import random
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lengthwise.experiments.generalization.cell import Scheme
from lengthwise.experiments.generalization.confusion import THRESHOLDS
from lengthwise.experiments.generalization.names import bin_names, label, numbers, percent, title, verdict
from lengthwise.experiments.generalization.report import cell_records, confusion_records
from lengthwise.experiments.generalization.tables import (
    Table,
    disagreements,
    every_cell,
    left_out,
    predictors,
    thresholds,
    verdict_against_outcome,
)
from lengthwise.experiments.results import as_csv
from lengthwise.regular.algorithmic.decide import paper_row
from lengthwise.regular.languages.catalogue import TABLE
from tests.experiments.generalization.generalized import EXPRESSIBLE, SEEDS, as_the_theory_says, outcomes

PRINTED = {row.name: row for row in TABLE}
SCHEMES: tuple[Scheme, Scheme] = ("nope", "ape")
FILE = Path(__file__).parents[3] / "papers" / "huang" / "generalization" / "fig1.toml"
REPORTED = {
    (entry["task"], scheme): [tuple(percent / 100 for percent in percents)]
    for entry in tomllib.loads(FILE.read_text(encoding="utf-8"))["entries"]
    for scheme, percents in entry.get("reported", {}).items()
}
"""The authors' means, as if each were a seed."""

LARGEST = {
    ("task:binary-majority-interleave", "nope"),
    ("task:parity", "nope"),
    ("task:addition", "nope"),
    ("task:addition", "ape"),
}
"""What the paper trains models of 12 layers for, all of whose seeds count."""


def random_results(seed: int) -> dict[tuple[str, Scheme], list[tuple[float, float, float]]]:
    """Every cell with one accuracy on long words for all its seeds; some were not learned, some not run."""
    draw = random.Random(seed)
    found: dict[tuple[str, Scheme], list[tuple[float, float, float]]] = {}
    for task in EXPRESSIBLE:
        for scheme in SCHEMES:
            first = draw.choices((1.0, 0.995, 0.4), (7, 2, 1))[0]
            # Few different values, so that there are ties.
            last = draw.choice((0.0, 0.25, 0.5, 0.75, 0.875, 0.9375, 1.0))
            found[task, scheme] = [(first, last, last)] * (SEEDS if draw.random() < 0.9 else 0)
    return found


def said_by(predictor: str, task: str, scheme: Scheme) -> bool | None:
    """What the paper's tables print."""
    if predictor == "C-RASP":
        return EXPRESSIBLE[task][SCHEMES.index(scheme)] == "yes"
    if task in PRINTED:
        row = PRINTED[task]
        return {"star-free": row.star_free, "dot-depth ≤ 1": row.dot_depth == 1, "AC⁰": row.ac0}[predictor]
    return paper_row(task.removeprefix("task:")).ac0 == "yes" if predictor == "AC⁰" else None


def recounted(results: Any, threshold: float) -> Iterator[dict[str, Any]]:
    """The records of predictors, counted by hand."""
    for on in (
        "all its cells", "shared cells", "all, nearly learned", "shared, nearly learned", "authors', all",
        "authors', shared",
    ):  # fmt: skip
        least = 0.99 if "nearly" in on else 0.95 if "authors'" in on else 1.0
        for which in ("all", "ape", "nope"):
            for predictor in ("C-RASP", "star-free", "dot-depth ≤ 1", "AC⁰"):
                counts = {(said, done): 0 for said in (True, False) for done in (True, False)}
                long: dict[bool, list[float]] = {True: [], False: []}
                for (task, scheme), seeds in (REPORTED if "authors'" in on else results).items():
                    said = said_by(predictor, task, scheme)
                    shared = not task.startswith("task:")
                    if which not in ("all", scheme) or said is None or ("shared" in on and not shared):
                        continue
                    if seeds and seeds[0][0] >= (0.95 if (task, scheme) in LARGEST else least):
                        counts[said, seeds[0][2] >= threshold] += 1
                        long[said].append(seeds[0][2])
                yield {"on": on, "scheme": which, "predictor": predictor, "counts": counts, "long": long}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("threshold", [0.5, 0.9, 0.99])
def test_errors_of_all_predictors_are_those_of_a_count_by_hand(seed: int, threshold: float) -> None:
    results = random_results(seed)
    records = [record for record in confusion_records(outcomes(results)) if record["threshold"] == threshold]
    expected = list(recounted(results, threshold))
    assert len(records) == len(expected) == 6 * 3 * 4
    for record, by_hand in zip(records, expected, strict=True):
        assert [record[key] for key in ("on", "scheme", "predictor")] == [
            by_hand[key] for key in ("on", "scheme", "predictor")
        ]
        counts = by_hand["counts"]
        assert (record["right_yes"], record["wrong_yes"]) == (counts[True, True], counts[True, False])
        assert (record["wrong_no"], record["right_no"]) == (counts[False, True], counts[False, False])
        wrong, total = counts[True, False] + counts[False, True], sum(counts.values())
        assert (record["errors"], record["cells"]) == (wrong, total)
        assert record["error_rate"] == (wrong / total if total else None)


def area_by_ranks(yes: list[float], no: list[float]) -> float | None:
    """The area under the ROC curve from the sum of mid-ranks (Mann and Whitney)."""
    if not yes or not no:
        return None
    ordered = sorted(yes + no)
    rank = {value: ordered.index(value) + (ordered.count(value) + 1) / 2 for value in set(ordered)}
    return (sum(rank[value] for value in yes) - len(yes) * (len(yes) + 1) / 2) / (len(yes) * len(no))


@pytest.mark.parametrize("seed", range(3))
def test_the_area_is_that_of_rank_sums_and_does_not_depend_on_the_threshold(seed: int) -> None:
    results = random_results(seed)
    records = list(confusion_records(outcomes(results)))
    for place, threshold in enumerate(THRESHOLDS):
        found = [record["area"] for record in records[place :: len(THRESHOLDS)]]
        for area, by_hand in zip(found, recounted(results, threshold), strict=True):
            assert area == pytest.approx(area_by_ranks(by_hand["long"][True], by_hand["long"][False]))


def test_verdicts_are_those_that_the_paper_prints() -> None:
    for task, printed in EXPRESSIBLE.items():
        for scheme, said in zip(SCHEMES, printed, strict=True):
            assert verdict(task, scheme) == ("program" if said == "yes" else "no program")


def test_verdict_against_outcome_counts_tasks_and_says_how_good_they_are() -> None:
    results = as_the_theory_says()
    results["tomita-1", "ape"] = [(1.0, 1.0, 0.95), (1.0, 1.0, 1.0), (1.0, 1.0, 0.9)]
    results["task:sort", "ape"] = [(1.0, 0.9, 0.2)] * 3
    results["d12", "ape"] = [(0.75, 0.5, 0.25)] * 3
    del results["task:parity", "nope"]
    table = verdict_against_outcome(outcomes(results))
    assert table.header == ("scheme", "verdict", "generalizes", "fails", "not learned", "not run")
    assert table.rows == (
        ("APE", "program", "16: 99.7 (95.0–100)", "1: 20.0", "1: 25.0", "0"),
        ("APE", "no program", "0", "8: 0", "0", "0"),
        ("NoPE", "program", "12: 100", "0", "0", "0"),
        ("NoPE", "no program", "0", "13: 0", "0", "1"),
    )


def test_disagreements_are_named_with_all_their_accuracies() -> None:
    results = as_the_theory_says()
    assert disagreements(outcomes(results)).rows == ()
    assert "There are none among 52 cells." in disagreements(outcomes(results)).text()
    results["tomita-4", "nope"] = [(1.0, 1.0, 0.92), (1.0, 1.0, 0.96), (0.5, 0.0, 0.0)]
    results["task:sort", "ape"] = [(1.0, 0.9, 0.2)] * 3
    (sort, tomita) = disagreements(outcomes(results)).rows
    assert sort == ("Sort", "APE", "program", "fails", "no", "1/2/256", "3 of 3", "100", "90.0", "20.0", "99.4")
    assert tomita[:5] == ("4: Tomita 4", "NoPE", "no program", "generalizes", "no")
    # The seed that did not learn the task does not count.
    assert tomita[6:] == ("2 of 3", "100", "100", "94.0 (92.0–96.0)", "0")


def test_what_was_not_learned_or_not_run_is_listed_apart_and_counts_for_no_predictor() -> None:
    results = as_the_theory_says()
    results["d2", "nope"] = [(0.999, 0.9, 0.8)] * 3
    del results["d3", "ape"]
    found = outcomes(results)
    assert [row[:4] for row in left_out(found).rows] == [("8: D₂", "NoPE", "program", "not learned")]
    assert "Not run: D₃ APE." in left_out(found).remarks
    rows = predictors(found).rows
    assert {row[2] for row in rows if row[0] in ("all its cells", "shared cells")} == {"50", "34"}
    assert {row[2] for row in rows if "nearly" in row[0]} == {"51", "35"}
    assert predictors(outcomes(as_the_theory_says())).rows[0][2] == "52"
    records = {(each["task"], each["scheme"]): each for each in cell_records(found)}
    assert (records["d2", "nope"]["outcome"], records["d2", "nope"]["agrees"]) == ("not learned", "")
    assert (records["d3", "ape"]["outcome"], records["d3", "ape"]["mean_150"]) == ("not run", None)
    assert not records["d3", "ape"]["finished"]


def test_error_rates_stand_under_their_thresholds() -> None:
    results = as_the_theory_says()
    for task in ("tomita-1", "tomita-2", "d2"):
        results[task, "ape"] = [(1.0, 1.0, 0.94)] * 3
    table = thresholds(outcomes(results))
    assert table.header == ("on", "predictor", "50 %", "70 %", "80 %", "90 %", "95 %", "99 %")
    assert table.rows[0] == ("all its cells", "C-RASP", "0", "0", "0", "0", "5.8", "5.8")
    assert table.rows[4] == ("shared cells", "C-RASP", "0", "0", "0", "0", "8.3", "8.3")


def test_every_cell_is_in_the_table_with_its_baseline() -> None:
    rows = every_cell(outcomes(as_the_theory_says())).rows
    assert len(rows) == 2 * 26 + 8
    assert rows[-1] == ("Addition", "baseline", "–", "–", "–", "1/0/64", "0 of 3", "20.0", "10.0", "10.0", "–")
    assert sum(row[3] == "generalizes" for row in rows) == 12 + 18


@pytest.mark.parametrize(
    ("accuracy", "shown"),
    [(None, "–"), (0.0, "0"), (1.0, "100"), (1 + 4e-16, "100"), (0.9996, ">99.9"), (0.0002, "<0.1"), (0.5, "50.0")],
)
def test_an_accuracy_is_100_or_0_only_if_it_is(accuracy: float | None, shown: str) -> None:
    assert percent(accuracy) == shown


def test_names_are_those_of_the_paper() -> None:
    assert [title(task) for task in ("task:copy-unique", "tomita-4", "d12", "aa-star", "parity", "(ab)*")] == [
        "Copy (unique)",
        "Tomita 4",
        "D₁₂",
        "(aa)*",
        "PARITY (language)",
        "(ab)*",
    ]
    assert label("012-02") == "17: {0,1,2}*02*"
    assert bin_names((50, 100, 150)) == ["≤50", "51–100", "101–150"]
    assert numbers([16, 1, 2, 7, 8, 9, 10]) == "1, 2, 7–10, 16"


def test_tables_are_aligned_as_text_and_escaped_in_markdown() -> None:
    table = Table("T", ("task", "n"), (("(aa)*", "1"), ("a|b", "<2")), ("None < all.",))
    assert table.text() == "T\n  task   n\n  -----  --\n  (aa)*  1\n  a|b    <2\n  None < all."
    lines = table.markdown().splitlines()
    assert lines == [
        "## T",
        "",
        "| task | n |",
        "| --- | --- |",
        r"| (aa)\* | 1 |",
        r"| a\|b | \<2 |",
        "",
        r"- None \< all.",
    ]
    assert as_csv([{"a": 0.1 + 0.2, "b": None}]) == b"a,b\n0.30000000000000004,\n"


def test_nothing_that_was_learned_gives_no_rate_at_all() -> None:
    found = outcomes({("tomita-1", "ape"): [(0.5, 0.0, 0.0)] * 3})
    ours = [record for record in confusion_records(found) if "authors'" not in record["on"]]
    assert all(record["error_rate"] is None and record["area"] is None for record in ours)
    assert {row[5] for row in predictors(found).rows if "authors'" not in row[0]} == {"–"}


def test_the_authors_own_accuracies_are_against_the_theory_in_six_cells_at_90_percent_and_in_none_at_70() -> None:
    found = [row for row in confusion_records(outcomes(as_the_theory_says())) if row["on"] == "authors', all"]
    errors = {
        row["threshold"]: row["errors"] for row in found if (row["predictor"], row["scheme"]) == ("C-RASP", "all")
    }
    assert (errors[0.9], errors[0.7]) == (6, 0)
    below = {(task, scheme) for (task, scheme), ((first, _, last),) in REPORTED.items() if first >= 0.95 and last < 0.9}
    against = {cell for cell in below if EXPRESSIBLE[cell[0]][SCHEMES.index(cell[1])] == "yes"}
    assert against == {
        ("task:binary-majority-interleave", "ape"), ("task:sort", "nope"), ("tomita-4", "ape"), ("tomita-7", "nope"),
        ("aaaa-star", "ape"), ("abab-star", "ape"),
    }  # fmt: skip
