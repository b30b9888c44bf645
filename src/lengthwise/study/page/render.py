"""A study as HTML: templates filled with escaped text, in which characters that cannot be seen are escapes, too."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from lengthwise.crasp.showing.trace import visible
from lengthwise.errors import LengthwiseError
from lengthwise.study.page.heat_map import heat_style
from lengthwise.study.page.view import view

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from lengthwise.study.result import Study

PACKAGE = "lengthwise.study.page"
CODE = re.compile(r"`([^`]+)`")
UNBROKEN = re.compile(r"(\d) %")


def page(study: Study) -> str:
    """Make the whole page.

    Args:
        study: The study.

    Returns:
        An HTML document that loads nothing; the same bytes for the same study.

    Raises:
        LengthwiseError: jinja2 is not installed.

    """
    return _rendered(study, "page.html", "")


def fragment(study: Study) -> str:
    """Make the same for a notebook: without a script, with a style that reaches nothing outside of it.

    Args:
        study: The study.

    Returns:
        A `style` and a `div` element.

    Raises:
        LengthwiseError: jinja2 is not installed.

    """
    return _rendered(study, "fragment.html", f"{study.subject.slug}-")


def _rendered(study: Study, template: str, prefix: str) -> str:
    shown = view(study, prefix)
    environment = _environment()
    styles = f"{_file('page.css')}{heat_style()}{shown.trace_style}"
    return environment.get_template(template).render(
        study=study, view=shown, prefix=prefix, styles=_markup(styles), script=_markup(_file("page.js"))
    )


@cache
def _environment() -> Environment:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise LengthwiseError("pages need jinja2; install it with pip install 'lengthwise[report]'") from None
    made = Environment(
        loader=PackageLoader(PACKAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_seen,
    )
    made.filters |= {"prose": prose, "markup": _markup}
    return made


def _seen(value: Any) -> Any:
    """Text with characters that cannot be seen as escapes; markup and numbers as they are."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return "\n".join(visible(line) for line in value.split("\n"))
    return value


def prose(sentence: str) -> Markup:
    """A sentence as HTML: `…` is code, and numbers stay with their percent signs."""
    from markupsafe import Markup, escape

    text = str(escape(_seen(sentence)))
    return Markup(UNBROKEN.sub("\\1\u00a0%", CODE.sub(r"<code>\1</code>", text)))  # noqa: S704 - escaped above


def _markup(html: str) -> Markup:
    """HTML that this package made itself."""
    from markupsafe import Markup

    return Markup(html)  # noqa: S704


@cache
def _file(name: str) -> str:
    return files(PACKAGE).joinpath(name).read_text(encoding="utf-8")
