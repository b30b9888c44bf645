"""What a text or an object stands for where a model is asked for: the only place that knows it.

lengthwise-runs/runs/3c9d…   a run of ours
checkpoint                   a directory in the layout of Hugging Face
dyck1.safetensors            a compiled model or a Limit Transformer
mine.py:Name                 a torch module, a class of them, or a function on lists of symbols
package.module:Name          the same in an installed package, or one beside us
majority, x.crasp            a C-RASP program
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from torch import nn

from lengthwise.crasp import Program
from lengthwise.limit import LimitTransformer, Transformer
from lengthwise.models.answering import Answerer, ModelError
from lengthwise.models.called import CalledModel
from lengthwise.models.hugging_face import hugging_face_model, load_weights
from lengthwise.models.of_run import RunModel
from lengthwise.models.programs import ProgramModel
from lengthwise.models.tokens import Format
from lengthwise.models.torch_models import TorchModel, made
from lengthwise.runs import Run
from lengthwise.subjects import Subject
from lengthwise.tasks.own_task import user_object
from lengthwise.tasks.task import Task
from lengthwise.user_code import blaming, file_and_name, imported_object, is_dotted, source_file

WEIGHTS = ".safetensors"
RUN = "done.json"
"""A file that a finished run has."""


def read_model(
    model: object, task: Task, form: Format | None = None, weights: str | os.PathLike[str] | None = None
) -> Answerer:
    """Read a text, or take an object as what it is.

    Args:
        model: A text as above, a path, a `Run`, a program, a Limit Transformer, a module, a class of them, or a
            function.
        task: The task that it is scored on, which says the sizes of a module that is made from a class.
        form: How words reach a module.
        weights: A safetensors file with the weights of a module.

    Returns:
        The model.

    Raises:
        LengthwiseError: There is no such model.

    """
    form = form or Format()
    found = _read(model, task, form)
    if weights is not None:
        if not isinstance(found, TorchModel):
            raise ModelError(f"{found.title} comes with its weights; weights are for a torch module")
        load_weights(found.module, Path(weights), found.title)
    if form != Format() and not isinstance(found, TorchModel):
        raise ModelError(
            f"{found.title} reads the symbols of the task; a table of tokens, start, separator, end and threshold are "
            "for torch modules and for models of Hugging Face"
        )
    return found


def _read(model: object, task: Task, form: Format) -> Answerer:
    if isinstance(model, str | os.PathLike):
        text = os.fspath(model)
        path = Path(text)
        if path.is_dir():
            return _directory(path, form)
        if file_and_name(text) is not None:
            file, thing = user_object(text)
            return _object(thing, text.rpartition(":")[2], file.path, task, form)
        if path.suffix == WEIGHTS:
            return ProgramModel(_compiled(path), f"model {path.name}")
        if is_dotted(text):
            thing = imported_object(text)
            return _object(thing, text.rpartition(":")[2], source_file(thing), task, form)
        subject = Subject.of(text)
        return ProgramModel(subject.as_program(), subject.meaning)
    name = getattr(model, "__name__", type(model).__name__)
    return _object(model, str(name), source_file(model), task, form)


def _directory(path: Path, form: Format) -> Answerer:
    if (path / RUN).is_file():
        return RunModel(Run(path))
    if (path / "config.json").is_file():
        return hugging_face_model(path, form)
    runs = sorted(each.parent for each in (path / "runs").glob(f"*/{RUN}"))
    hint = f"; it is a store of {len(runs)} runs, so give one of them, such as {runs[0]}" if runs else ""
    raise ModelError(f"{path} is neither a finished run nor a model of Hugging Face, which has a config.json{hint}")


def _compiled(path: Path) -> LimitTransformer | Transformer:
    from lengthwise import limit
    from lengthwise.limit.files import ORDINARY, kind_of

    return limit.load_transformer(path) if kind_of(path) == ORDINARY else limit.load(path)


def _object(thing: Any, name: str, file: str | None, task: Task, form: Format) -> Answerer:
    if isinstance(thing, Run):
        return RunModel(thing)
    if isinstance(thing, Program | LimitTransformer | Transformer):
        return ProgramModel(thing, thing.title or name)
    if isinstance(thing, type) and issubclass(thing, nn.Module):
        thing = made(thing, task, name, file)
    if isinstance(thing, nn.Module):
        return TorchModel(thing, name, form, file=file)
    if isinstance(thing, type):
        with blaming(file, f"{name}()"):
            thing = thing()
    if not callable(thing):
        raise ModelError(
            f"{name} is of type {type(thing).__name__}, which is no model; give a torch module, a class of them, or a "
            "function from a list of symbols to what comes next"
        )
    return CalledModel(thing, name, file)
