"""Texts of figures are drawn before anything is trained for them."""

from pathlib import Path

import pytest

from lengthwise.drawing.style import require_drawable
from lengthwise.errors import LengthwiseError
from tests.e2e.command import lengthwise

PAPER = Path(__file__).parents[2] / "papers" / "izzo" / "fig1.toml"


def test_a_title_that_cannot_be_drawn_is_refused_before_training(tmp_path: Path) -> None:
    lines = PAPER.read_text(encoding="utf-8").splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("title"))
    lines[place] = r"title = '$\input{/etc/passwd}$'"
    (tmp_path / "bad.toml").write_text("\n".join(lines), encoding="utf-8")
    done = lengthwise("reproduce", "bad.toml", "--preset", "smoke", "--engine", "serial", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be drawn" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["bad.toml"]


@pytest.mark.parametrize("text", ["a cost of 5$", r"\$5 or \$6", "$x^2$ and $\\omega$", "no formula", ""])
def test_texts_that_can_be_drawn_pass(text: str) -> None:
    require_drawable({"title": text, "panels": [{"title": text}], "number": 3, "nothing": None})


@pytest.mark.parametrize("text", ["$x^$", "$\\frac{1}$", "$" + "{" * 50 + "$"])
def test_texts_that_cannot_are_refused_at_any_depth(text: str) -> None:
    with pytest.raises(LengthwiseError, match="cannot be drawn"):
        require_drawable({"plot": {"panels": ({"title": text},)}})
