"""The names that a shell completes: `lengthwise --install-completion` teaches it to."""

from __future__ import annotations


def subject_names(incomplete: str) -> list[str]:
    """The names of programs, languages and tasks that begin with what is typed; files are the shell's part.

    Args:
        incomplete: What is typed so far.

    Returns:
        The names, in the order of `lengthwise tasks`.

    Example:
        >>> subject_names("tomita-7")
        ['tomita-7']

    """
    from lengthwise.subjects import names

    return [name for name in names() if name.startswith(incomplete)]


def model_names(incomplete: str) -> list[str]:
    """The names of Limit Transformers that are constructed, and of subjects, which are compiled.

    Args:
        incomplete: What is typed so far.

    Returns:
        The names, without those of tasks, which have no program.

    Example:
        >>> model_names("simple")
        ['simple-task']

    """
    from lengthwise.limit.constructions import NAMED

    found = [name for name in subject_names(incomplete) if not name.startswith("task:")]
    return list(dict.fromkeys([name for name in NAMED if name.startswith(incomplete)] + found))


def figure_names(incomplete: str) -> list[str]:
    """The names of figures and tables of papers that begin with what is typed; figure files are the shell's part.

    Args:
        incomplete: What is typed so far.

    Returns:
        The names, in the order of `lengthwise figures`.

    Example:
        >>> figure_names("huang-table")
        ['huang-table2', 'huang-table3']

    """
    from lengthwise.experiments.catalogue import TABLES, files

    return [name for name in (*files(), *TABLES) if name.startswith(incomplete)]


def scheme_names(incomplete: str) -> list[str]:
    """The names of position schemes, for the last entry of a list with commas between.

    Args:
        incomplete: What is typed so far.

    Returns:
        The whole text, completed.

    Example:
        >>> scheme_names("none,rop")
        ['none,rope']

    """
    from lengthwise.runs.labels import SCHEME_LABELS

    before, comma, last = incomplete.rpartition(",")
    return [before + comma + name for name in SCHEME_LABELS if name.startswith(last)]
