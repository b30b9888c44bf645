"""A hook of mkdocs that writes formulas as MathML, which browsers draw by themselves: no script, no font, no network.

Pages have formulas in LaTeX, `$…$` in a line and `$$…$$` on lines of their own, as GitHub reads them, too.
"""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

FORMULA = re.compile(r'<(span|div) class="arithmatex">(.*?)</\1>', re.DOTALL)
"""What pymdownx.arithmatex makes of a formula, with `generic: true`."""


def on_page_content(content: str, **_: Any) -> str:
    r"""Replace the formulas of a page.

    Args:
        content: The page as HTML.

    Returns:
        The page with a `<math>` element for each formula; its LaTeX is kept in `data-latex`.

    Example:
        >>> on_page_content(r'<span class="arithmatex">\(x\)</span>').partition(">")[2]
        '<mrow><mi>x</mi></mrow></math>'

    """
    return FORMULA.sub(_mathml, content)


def _mathml(found: re.Match[str]) -> str:
    block = found[1] == "div"
    latex = html.unescape(found[2]).strip()[2:-2].strip()
    made = convert(latex, display="block" if block else "inline")
    return made.replace(">", f' data-latex="{html.escape(latex)}">', 1)
