"""One browser for all tests of a process, and `open_page`, which watches what a page does."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, sync_playwright

PATIENCE = 300_000
"""Milliseconds until a browser counts as stuck; a busy machine is slow, not broken."""
ARGUMENTS = ["--no-sandbox", "--disable-gpu"]
REQUIRED = "LENGTHWISE_BROWSER_REQUIRED"
"""Set where a missing browser is a failure and no reason to skip."""


@dataclass(frozen=True)
class Opened:
    """A page, and what it has said and asked for so far."""

    page: Page
    problems: list[str] = field(default_factory=list)
    """Errors and warnings of the console, and exceptions of scripts."""
    requests: list[str] = field(default_factory=list)
    """The addresses of everything that was asked for, but for the page itself."""


Open = Callable[..., Opened]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's chromium."""
    executable = shutil.which("chromium")
    if executable is None:
        missing = "there is no chromium; scripts/install-chromium installs Debian's"
        if os.environ.get(REQUIRED):
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS, timeout=PATIENCE)
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Open a file at a width, light or dark, without a network; a screenshot is kept beside the files of the test."""
    contexts = []

    def opened(path: Path, width: int = 1000, dark: bool = False) -> Opened:
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme="dark" if dark else "light", offline=True
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        found = Opened(context.new_page())
        address = path.resolve().as_uri()

        def said(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning", "assert"):
                found.problems.append(message.text)

        found.page.on("console", said)
        found.page.on("pageerror", lambda problem: found.problems.append(str(problem)))
        found.page.on("request", lambda asked: None if asked.url == address else found.requests.append(asked.url))
        found.page.goto(address, wait_until="load")
        with suppress(Error):  # for people to look at; a browser short of memory may have none, and no test asks for it
            picture = tmp_path / f"{path.stem}-{width}-{'dark' if dark else 'light'}.png"
            found.page.screenshot(path=picture, full_page=True)
        return found

    yield opened
    for context in contexts:
        context.close()
