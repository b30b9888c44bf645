"""Certificates as objects: what they cover, what they are sealed to, and every way to make a model out of another."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.crasp import load
from lengthwise.limit import Certificate, RegimeFamily, from_crasp, from_transformer, to_transformer
from lengthwise.limit.certificate import EVERY_REGIME, LONGEST, CertificateError
from lengthwise.limit.evaluation.regimes import Hardmax, Huang, IzzoFinite, IzzoInfinite, Regime
from lengthwise.limit.model import Head, Layer, LimitTransformer
from lengthwise.limit.transformers.transformer import Transformer
from tests.limit.certified_programs import DISTANT, PROGRAMS, program

SOURCE = Path(__file__).parents[2] / "src" / "lengthwise"


def compiled(text: str = PROGRAMS["nested"]) -> LimitTransformer:
    return from_crasp(program(text))


# ------------------------------------------------------------------------------------------------- regimes


@pytest.mark.parametrize(
    ("family", "inside", "outside"),
    [
        ("huang(0..8)", [Huang(0), Huang(8)], [Huang(9), Huang(3, shift=True), IzzoFinite(3), Hardmax()]),
        ("huang(8, shift)", [Huang(8, shift=True)], [Huang(8), Huang(7, shift=True)]),
        ("izzo_finite(1..1000)", [IzzoFinite(1), IzzoFinite(1000)], [IzzoFinite(0), Huang(5), IzzoInfinite()]),
        ("izzo_infinite", [IzzoInfinite()], [Hardmax(), IzzoFinite(1000)]),
        ("hardmax", [Hardmax()], [IzzoInfinite(), Huang(0)]),
    ],
)
def test_a_family_covers_what_it_says_and_reads_itself_back(
    family: str, inside: list[Regime], outside: list[Regime]
) -> None:
    read = RegimeFamily.parse(family)
    assert str(read) == family
    assert [read.covers(regime) for regime in inside + outside] == [True] * len(inside) + [False] * len(outside)


@pytest.mark.parametrize("text", ["", "huang", "hardmax(3)", "huang(9..8)", "huang(0..1001)", "izzo_finite(1, shift)"])
def test_a_text_that_names_no_family_is_refused(text: str) -> None:
    with pytest.raises(CertificateError):
        RegimeFamily.parse(text)


def test_the_family_of_one_regime_covers_nothing_else() -> None:
    regimes: list[Regime] = [Huang(3), Huang(3, shift=True), Huang(4), IzzoFinite(3), IzzoInfinite(), Hardmax()]
    for one in regimes:
        assert [other for other in regimes if RegimeFamily.of(one).covers(other)] == [one]


# ------------------------------------------------------------------------------------------------ certificates


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"length": -1}, "words of 0 to"),
        ({"length": LONGEST + 1}, "words of 0 to"),
        ({"length": 9, "context": 8}, "do not fit into 8 positions"),
        ({"regimes": ()}, "at least one regime"),
    ],
)
def test_a_claim_that_cannot_hold_is_refused(changes: dict[str, Any], message: str) -> None:
    right = Certificate(3, EVERY_REGIME, "none")
    with pytest.raises(CertificateError, match=message):
        replace(right, **changes)


def test_a_certificate_without_seal_belongs_to_no_model() -> None:
    with pytest.raises(CertificateError, match="attached_to"):
        replace(compiled(), certificate=Certificate(3, EVERY_REGIME, "none"))


def test_a_certificate_survives_json() -> None:
    certificate = compiled().certificate
    assert certificate is not None
    assert Certificate.from_json(json.loads(json.dumps(certificate.to_json()))) == certificate


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("length", "12"),
        ("length", True),
        ("length", 3.0),
        ("regimes", "hardmax"),
        ("regimes", [["hardmax"]]),
        ("regimes", ["softmax"]),
        ("precision", None),
        ("context", "4"),
        ("argument", 7),
        ("seal", None),
    ],
)
def test_a_dictionary_with_a_part_of_the_wrong_type_is_no_certificate(name: str, value: object) -> None:
    certificate = compiled().certificate
    assert certificate is not None
    with pytest.raises(CertificateError):
        Certificate.from_json({**certificate.to_json(), name: value})


def test_the_certificate_of_one_model_is_worth_nothing_to_another() -> None:
    first, second = compiled(DISTANT), compiled('Y = #[i-j in {6}] "b" >= 1')
    assert first.width == second.width
    assert replace(second, certificate=first.certificate).certificate is None


def test_a_claim_that_is_changed_loses_its_seal() -> None:
    model = compiled()
    assert model.certificate is not None
    for changes in ({"length": 2**52}, {"regimes": EVERY_REGIME}, {"precision": "float32"}, {"argument": "by faith"}):
        assert replace(model, certificate=replace(model.certificate, **changes)).certificate is None


# -------------------------------------------------------------------------------------------- edited models


def nudged(array: Any) -> Any:
    """The array with its last entry moved to the next float."""
    changed = np.array(array)
    changed.flat[-1] = np.nextafter(changed.flat[-1], np.inf)
    return changed


def with_layer(model: LimitTransformer, layer: Layer) -> dict[str, Any]:
    return {"layers": (layer, *model.layers[1:])}


EDITS: dict[str, Callable[[LimitTransformer], dict[str, Any]]] = {
    "alphabet": lambda model: {"alphabet": Alphabet(("b", "a"))},
    "embedding": lambda model: {"embedding": nudged(model.embedding)},
    "positions": lambda model: {"positions": nudged(model.positions)},
    "unembedding": lambda model: {"unembedding": nudged(model.unembedding)},
    "outputs": lambda model: {"outputs": ("other",)},
    "has_start": lambda model: {"has_start": False, "alphabet": Alphabet(("a", "b"), is_open=True)},
    "regime": lambda model: {"regime": IzzoInfinite()},
    "fewer layers": lambda model: {"layers": model.layers[:-1]},
    "more layers": lambda model: {"layers": (*model.layers, Layer.attention_only([], model.width))},
    "hidden": lambda model: with_layer(model, replace(model.layers[0], hidden=nudged(model.layers[0].hidden))),
    "bias": lambda model: with_layer(model, replace(model.layers[0], bias=nudged(model.layers[0].bias))),
    "output": lambda model: with_layer(model, replace(model.layers[0], output=nudged(model.layers[0].output))),
    "heaviside": lambda model: with_layer(
        model, replace(model.layers[0], heaviside=~np.asarray(model.layers[0].heaviside))
    ),
    "fewer heads": lambda model: with_layer(model, replace(model.layers[0], heads=model.layers[0].heads[:-1])),
    "another order of heads": lambda model: with_layer(
        model, replace(model.layers[0], heads=model.layers[0].heads[::-1])
    ),
    "key_query": lambda model: with_layer(model, with_head(model, "key_query")),
    "value": lambda model: with_layer(model, with_head(model, "value")),
    "phi": lambda model: with_layer(model, with_head(model, "phi")),
}
"""Changes of a model; the certificate must not outlive any of them."""


def with_head(model: LimitTransformer, part: str) -> Layer:
    layer = model.layers[0]
    changed = replace(layer.heads[-1], **{part: nudged(getattr(layer.heads[-1], part))})
    return replace(layer, heads=(*layer.heads[:-1], changed))


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_no_edit_leaves_the_certificate(edit: Callable[[LimitTransformer], dict[str, Any]]) -> None:
    model = compiled()
    assert len(model.layers[0].heads) == 2
    assert replace(model, **edit(model)).certificate is None


@pytest.mark.parametrize("name", ["embedding", "positions", "unembedding", "outputs"])
def test_no_edit_of_an_ordinary_transformer_leaves_the_certificate(name: str) -> None:
    model = to_transformer(compiled(), 9)
    assert model.certificate is not None
    value: Any = ("other",) if name == "outputs" else nudged(getattr(model, name))
    assert replace(model, **{name: value}).certificate is None


def test_every_field_but_title_and_certificate_is_edited_above() -> None:
    names = {field.name for kind in (LimitTransformer, Layer, Head) for field in fields(kind)}
    assert names - {"title", "certificate", "layers", "heads"} <= EDITS.keys()


def test_a_title_is_not_part_of_what_is_certified() -> None:
    model = compiled()
    assert replace(model, title="other").certificate == model.certificate


# ------------------------------------------------------------------------ all ways to make a model of another

MAKERS = {
    "limit/compiling/assemble.py: assemble": "derives the certificate, from the blueprint",
    "limit/certificate.py: Certificate.attached_to": "seals a derived certificate for these weights",
    "limit/model.py: LimitTransformer.with_regime": "keeps it if the regime is covered",
    "limit/transformers/to_transformer.py: to_transformer": "shrinks it to the context and one regime",
    "limit/transformers/from_transformer.py: from_transformer": "drops it",
    "limit/transformers/transformer.py: Transformer._as_limit": "drops it",
    "limit/files.py: _made": "keeps it if the seal fits",
    "limit/constructions/counting.py: simple_task": "has none",
    "limit/constructions/counting.py: mod_p_task": "has none",
    "limit/constructions/in_context.py: induction_head": "has none",
    "limit/constructions/in_context.py: k_gram": "has none",
    "limit/protocol/exchange.py: Alice.message": "drops it (RoundedModel)",
    "limit/protocol/exchange.py: Bob.activations": "drops it (RoundedModel)",
    "limit/protocol/exchange.py: single_party": "drops it (RoundedModel)",
    "nn/loading/compiled.py: load_compiled": "keeps it while weights and float64 stay (CompiledDecoder)",
    "bounds/certified/length.py: _by_formula": "makes no model: replaces what a bound assumes",
    "public/models.py: bound": "makes no model: replaces how a bound's subject was read",
    "public/models.py: simulate": "makes no model: the same of a stand-in",
    "public/models.py: _margins": "makes no model: the same of margins",
    "public/models.py: protocol": "makes no model: the same of an exchange",
}
"""Every function that makes a model, with what becomes of a certificate; a new one has to be entered and tested."""


def makers() -> set[str]:
    """The functions of the package that call one of the classes, or `replace` on what is a model."""
    classes = {"LimitTransformer", "Transformer", "RoundedModel", "CompiledDecoder"}
    found = set()
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        known = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
        known |= {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
        if not known & classes:
            continue
        stack: list[tuple[ast.AST, tuple[str, ...]]] = [(tree, ())]
        while stack:
            node, names = stack.pop()
            inside = (*names, node.name) if isinstance(node, ast.FunctionDef | ast.ClassDef) else names
            stack += [(child, inside) for child in ast.iter_child_nodes(node)]
            if _makes_a_model(node, classes, {"cls"} if classes & set(names) else set()):
                found.add(f"{path.relative_to(SOURCE).as_posix()}: {'.'.join(inside)}")
    return found


def _makes_a_model(node: ast.AST, classes: set[str], own: set[str]) -> bool:
    """A call of a class, under its name or under `model` or (in the class itself) `cls`, or of `replace`."""
    match node:
        case ast.Call(func=ast.Name(called)):
            return called in classes | own | {"replace", "model"}
        case ast.Call(func=ast.Attribute(ast.Name("dataclasses" | "copy"), called)):
            return called in {"replace", "copy", "deepcopy"}
        case ast.Call(func=ast.Attribute(_, called)):
            return called in classes
    return False


def test_every_function_that_makes_a_model_is_listed_with_what_it_does_to_a_certificate() -> None:
    assert makers() == MAKERS.keys()


def test_each_maker_does_what_is_listed(tmp_path: Path) -> None:
    model = compiled()
    ordinary = to_transformer(model, 9)
    assert model.certificate is not None
    assert ordinary.certificate is not None
    assert model.with_regime(Hardmax()).certificate == model.certificate
    assert model.with_regime(Huang(30)).certificate == model.certificate
    assert model.with_regime(IzzoFinite(0)).certificate is None
    assert model.with_regime(IzzoInfinite()).certificate is None
    assert (ordinary.certificate.length, ordinary.certificate.context) == (8, 9)
    assert [str(family) for family in ordinary.certificate.regimes] == ["huang(8)"]
    assert from_transformer(ordinary).certificate is None
    assert from_transformer(ordinary, length=5).certificate is None
    assert all(ordinary.at(offset).certificate is None for offset in range(9))
    model.save(tmp_path / "model.safetensors")
    from lengthwise.limit.files import load as load_model
    from lengthwise.limit.files import load_transformer, save

    assert load_model(tmp_path / "model.safetensors").certificate == model.certificate
    save(ordinary, tmp_path / "ordinary.safetensors")
    assert load_transformer(tmp_path / "ordinary.safetensors").certificate == ordinary.certificate
    assert isinstance(ordinary, Transformer)


@pytest.mark.parametrize("name", ["simple-task", "mod-p-task", "k-gram", "induction-head"])
def test_constructions_approximate_and_have_no_certificate(name: str) -> None:
    from lengthwise.limit.constructions import induction_head, named_construction

    made = induction_head("ab") if name == "induction-head" else named_construction(name, {})
    assert made.model.certificate is None


@pytest.mark.parametrize(("name", "has_windows"), [("majority", False), ("dyck1", False), ("contains-ab", True)])
def test_only_programs_without_windows_are_certified_in_every_regime(name: str, has_windows: bool) -> None:
    certificate = from_crasp(load(name)).certificate
    assert certificate is not None
    assert certificate.context is None
    assert certificate.precision == "float64"
    assert certificate.argument.startswith("Forward error analysis")
    assert certificate.covers(IzzoInfinite()) is not has_windows
    assert certificate.covers(Huang(8, shift=True)) is not has_windows
