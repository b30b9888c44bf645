"""The version and its date stand in four places and are the same in all of them."""

import re
from pathlib import Path

import pytest

from lengthwise import __version__

ROOT = Path(__file__).parent.parent
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_first_section_of_the_changelog_is_unreleased_and_the_second_the_version() -> None:
    sections = re.findall(r"^## (.*)$", CHANGELOG, re.MULTILINE)
    assert sections[0] == "Unreleased"
    assert re.fullmatch(rf"{re.escape(__version__)} \(\d{{4}}-\d\d-\d\d\)", sections[1])


@pytest.mark.parametrize("pattern", [r"^version: (.*)$", r"^date-released: (.*)$"])
def test_the_citation_is_that_of_the_last_release(pattern: str) -> None:
    cited = re.search(pattern, CITATION, re.MULTILINE)
    assert cited is not None
    assert cited[1] in re.findall(r"^## (.*)$", CHANGELOG, re.MULTILINE)[1]


def test_the_readme_cites_this_version() -> None:
    assert f"version = {{{__version__}}}," in (ROOT / "README.md").read_text(encoding="utf-8")
