from typing import Any

from lengthwise.experiments.generalization.claims import Claim, claims, claims_table
from tests.experiments.generalization.generalized import as_the_theory_says, outcomes


def judged(results: Any) -> dict[str, Claim]:
    found = claims(outcomes(results))
    names = ["yes ape", "yes nope", "no ape", "no nope", "star-free", "dot-depth", "ac0"]
    return dict(zip(names, found, strict=True))


def test_all_claims_hold_if_everything_is_as_the_theory_says() -> None:
    found = judged(as_the_theory_says())
    assert {claim.verdict for claim in found.values()} == {"reproduced"}
    # Star-free are Tomita 4, which should fail without positions, and the last language, which should fail always; not
    # star-free are (aa)*, (aaaa)* and (abab)*, which should generalize with positions: 3 + 3 errors. So for the others.
    assert [claim.counts for claim in found.values()] == [
        "holds in 18 of 18 cells",
        "holds in 12 of 12 cells",
        "holds in 8 of 8 cells",
        "holds in 14 of 14 cells",
        "errors: 0 against 6 in 36 cells",
        "errors: 0 against 12 in 36 cells",
        "errors: 0 against 18 in 52 cells",
    ]
    assert all(not claim.exceptions for claim in found.values())


def test_one_exception_is_enough_and_is_named() -> None:
    results = as_the_theory_says()
    results["task:sort", "nope"] = [(1.0, 0.9, 0.8), (1.0, 0.9, 0.7), (1.0, 0.9, 0.9)]
    results["aa-star", "nope"] = [(1.0, 1.0, 0.9)] * 3
    found = judged(results)
    assert (found["yes nope"].verdict, found["yes nope"].counts) == ("not reproduced", "holds in 11 of 12 cells")
    assert found["yes nope"].sentences() == ("Exception: Sort NoPE fails at 80.0 (70.0–90.0) %.",)
    assert found["no nope"].verdict == "not reproduced"
    assert found["no nope"].sentences() == ("Exception: (aa)* NoPE generalizes at 90.0 %.",)
    assert found["yes ape"].verdict == found["no ape"].verdict == "reproduced"
    data = found["yes nope"].as_json()
    assert data["exceptions"] == [{"task": "task:sort", "scheme": "nope"}]
    assert (data["verdict"], data["cells"], data["seeds"], data["low"]) == ("not reproduced", 12, 3, None)
    assert data["value"] == 11 / 12
    text = claims_table(list(found.values())).text()
    assert "Claim 2. Exception: Sort NoPE fails at 80.0 (70.0–90.0) %." in text


def test_what_was_not_learned_is_no_exception_and_is_told() -> None:
    results = as_the_theory_says()
    results["d2", "ape"] = [(0.9, 0.1, 0.0)] * 3
    found = judged(results)["yes ape"]
    assert (found.verdict, found.counts) == ("reproduced", "holds in 17 of 17 cells")
    assert found.sentences() == ("Not learned, and so not counted: D₂ APE.",)


def test_a_claim_is_open_while_a_cell_that_may_speak_against_it_wants_more_seeds() -> None:
    results = as_the_theory_says()
    results["d2", "ape"] = results["d2", "ape"][:1]
    found = judged(results)
    assert found["yes ape"].verdict == found["star-free"].verdict == "undecided"
    assert found["yes nope"].verdict == "reproduced"
    assert found["yes ape"].sentences() == ("Cells that want more seeds than there are: 1.",)
    # An exception with too few seeds may come to nothing, one with all its seeds does not.
    results["d2", "ape"] = [(1.0, 0.5, 0.0)]
    assert judged(results)["yes ape"].verdict == "undecided"
    results["d3", "ape"] = [(1.0, 0.5, 0.0)] * 3
    assert judged(results)["yes ape"].verdict == "not reproduced"


def test_a_rival_that_errs_less_often_or_as_often_is_not_explained_away() -> None:
    results = as_the_theory_says()
    star_free = ["tomita-4", "012-02"]
    for task in star_free:
        results[task, "nope"] = [(1.0, 1.0, 1.0)] * 3
    results["012-02", "ape"] = [(1.0, 1.0, 1.0)] * 3
    for task in ("aa-star", "aaaa-star"):
        results[task, "ape"] = [(1.0, 0.0, 0.0)] * 3
    found = judged(results)["star-free"]
    # Star-freeness errs for (abab)* with positions, C-RASP in the five cells above.
    assert (found.verdict, found.counts) == ("not reproduced", "errors: 5 against 1 in 36 cells")


def test_rivals_that_predict_the_same_are_not_told_apart() -> None:
    results = as_the_theory_says()
    kept = {place: seeds for place, seeds in results.items() if place[0] in ("tomita-1", "tomita-5")}
    for place in results:
        kept.setdefault(place, [(0.1, 0.0, 0.0)] * 3)
    found = judged(kept)["ac0"]
    assert (found.verdict, found.counts) == ("undecided", "errors: 0 against 0 in 4 cells")
    assert found.sentences() == ("Both predict the same for all cells that were learned.",)
