"""Which texts an expression of the source can be, followed through variables, tables, helpers and
arguments. What is known only when it runs is a place in the text (``PLACE``)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import chain, product
from pathlib import Path
from typing import Any

from texts.modules import Module, Scope, name_of, read

PLACE = "\0"
"""Stands in a text for a value."""

PASSED = "\1"
"""Stands for what an error says, which is found where the error is made."""

_MOST = 48
"""Texts that one expression may be; where it may be more, it is a place."""
_DEEPEST = 9
_PLACES = re.compile(f"{PLACE}+")
_NAME = re.compile(r"[/_:=]|\d\.\d|^[\w\0]+\.\w+$")
OPAQUE = frozenset({"_place", "models/catalogue.py:what"})
"""Attributes, and parameters behind their file, that are said as they are: what is wrong in a file
that only its author reads."""

Value = Any
"""A text, or a tuple that holds for each of its elements the tuple of what that can be."""


class Source:
    """The modules of some folders, and what their expressions can be.

    Args:
        root: the checkout.
        folders: packages in it.
    """

    def __init__(self, root: Path, folders: Iterable[str]) -> None:
        self.modules = read(root, folders)

    def texts(self, expression: ast.expr, scope: Scope) -> list[str]:
        """The texts it can be, those that are nothing but a place among them."""
        found = self.values(expression, scope)
        return [value for value in found if isinstance(value, str) and value != PASSED]

    def unread(self, expression: ast.expr, scope: Scope) -> bool:
        """Whether nothing of what it can be is found in the source."""
        return set(self.values(expression, scope)) == {PLACE}

    def values(self, expression: ast.expr, scope: Scope, depth: int = 0) -> list[Value]:
        """All that it can be."""
        if depth > _DEEPEST:
            return [PLACE]
        found = list(dict.fromkeys(self._values(expression, scope, depth + 1)))
        return found if 0 < len(found) <= _MOST else [PLACE]

    def _values(self, node: ast.expr, scope: Scope, depth: int) -> Iterator[Value]:
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.JoinedStr(values=parts):
                yield from self._joined([self._part(part, scope, depth) for part in parts])
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                both = [self.values(side, scope, depth) for side in (left, right)]
                yield from self._joined([_strings(side) for side in both])
            case ast.IfExp(body=body, orelse=orelse):
                yield from self.values(body, scope, depth)
                yield from self.values(orelse, scope, depth)
            case ast.BoolOp(op=ast.Or(), values=[*choices, last]):
                for choice in choices:
                    yield from (v for v in self.values(choice, scope, depth) if v != "")
                yield from self.values(last, scope, depth)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                yield tuple(tuple(self.values(each, scope, depth)) for each in elements)
            case ast.Dict(values=entries):
                for entry in entries:
                    yield from self.values(entry, scope, depth)
            case (
                ast.Attribute(attr="message" | "remedy")
                | ast.Subscript(slice=ast.Constant(value="error" | "remedy"))
            ):
                yield PASSED
            case ast.Subscript(value=base, slice=ast.Constant(value=int(index))):
                for value in self.values(base, scope, depth):
                    yield from _element(value, index)
            case ast.Subscript(value=base):
                yield from self.values(base, scope, depth)
            case ast.Starred(value=base):
                for value in self.values(base, scope, depth):
                    yield from chain(*value) if isinstance(value, tuple) else [PLACE]
            case ast.Name(id=name):
                yield from self._named(name, scope, depth)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                yield from self._attribute(name, scope, depth)
            case ast.Attribute(attr=name):
                yield from self._property(name, depth)
            case ast.Call(func=ast.Attribute(attr="get"), args=[_, *default]) if (
                table := self._table(node, scope)
            ) is not None:
                for entry in (table, *default):
                    yield from self.values(entry, scope, depth)
            case ast.Call(func=ast.Name(id="str"), args=[text]):
                yield from self.values(text, scope, depth)
            case ast.Call():
                yield from self._returned(node, scope, depth)
            case _:
                yield PLACE

    def _part(self, part: ast.expr, scope: Scope, depth: int) -> list[str]:
        if isinstance(part, ast.Constant):
            return [str(part.value)]
        assert isinstance(part, ast.FormattedValue)
        if part.conversion != -1 or part.format_spec is not None:
            return [PLACE]
        return _worth_saying(_strings(self.values(part.value, scope, depth)))

    def _joined(self, parts: list[list[str]]) -> Iterator[str]:
        number = 1
        for part in parts:
            number *= len(part)
        # Too many sentences to write down: the parts that vary are said on their own.
        few = parts if number <= _MOST else [p if len(p) == 1 else [PLACE] for p in parts]
        for chosen in product(*few):
            yield _PLACES.sub(PLACE, "".join(chosen))

    def _named(self, name: str, scope: Scope, depth: int) -> Iterator[Value]:
        module, function = scope.module, scope.function
        if function is not None:
            local = list(_assigned(function, name))
            if local:
                for value, index in local:
                    for each in self.values(value, scope, depth):
                        yield from [each] if index is None else _element(each, index)
                return
            if name in _parameters(function):
                yield from self._passed(function, name, scope, depth)
                return
        if name in module.constants:
            for value in module.constants[name]:
                yield from self.values(value, Scope(module), depth)
        elif (there := self._imported(name, module)) is not None and name in there.constants:
            for value in there.constants[module.imports[name][1]]:
                yield from self.values(value, Scope(there), depth)
        else:
            yield PLACE

    def _passed(
        self, function: ast.FunctionDef, name: str, scope: Scope, depth: int
    ) -> Iterator[Value]:
        """What callers hand over; a default counts too."""
        names = [each for each in _parameters(function) if each not in ("self", "cls")]
        called = function.name
        if f"{scope.module.path}:{name}" in OPAQUE:
            yield PLACE
            return
        if called == "__init__" and scope.owner is not None:
            called = scope.owner.name
        callers = [
            call
            for module in self.modules.values()
            if module is scope.module or self._imported(called, module) is scope.module
            for call in module.calls.get(called, [])
        ]
        if not callers and not called.startswith("_"):
            callers = [c for m in self.modules.values() for c in m.calls.get(called, [])]
        default = _default(function, name)
        if default is not None:
            yield from self.values(default, Scope(scope.module), depth)
        for caller in callers:
            given = _argument(caller.call, names, name)
            if given is not None:
                yield from self.values(given, caller.scope, depth)
        if not callers and default is None:
            yield PLACE

    def _attribute(self, name: str, scope: Scope, depth: int) -> Iterator[Value]:
        bound = [] if name in OPAQUE else scope.module.attributes.get(name, [])
        own = [each for each in bound if each.scope.owner is scope.owner]
        for each in own:
            yield from self.values(each.value, each.scope, depth)
        if not own:
            yield PLACE

    def _property(self, name: str, depth: int) -> Iterator[Value]:
        """What another object's property gives, where only one class has one of that name."""
        here = [(m, f) for m in self.modules.values() for f in m.functions.get(name, [])]
        if len(here) != 1 or "property" not in map(name_of, here[0][1].decorator_list):
            yield PLACE
            return
        module, function = here[0]
        for each in _returns(function):
            yield from self.values(each, Scope(module, function), depth)

    def _table(self, call: ast.Call, scope: Scope) -> ast.expr | None:
        """The table that ``.get`` is asked of."""
        assert isinstance(call.func, ast.Attribute)
        base = call.func.value
        if isinstance(base, ast.Dict):
            return base
        if isinstance(base, ast.Name):
            known = scope.module.constants.get(base.id, [])
            local = [v for v, _ in _assigned(scope.function, base.id)] if scope.function else []
            if any(isinstance(each, ast.Dict) for each in (*known, *local)):
                return base
        return None

    def _returned(self, call: ast.Call, scope: Scope, depth: int) -> Iterator[Value]:
        name = name_of(call.func)
        by_self = isinstance(call.func, ast.Name) or (
            isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Name)
            and call.func.value.id in ("self", "cls")
        )
        module: Module | None = scope.module
        if by_self and name in scope.module.imports:
            module = self._imported(name, scope.module)
            name = scope.module.imports[name][1]
        elif isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
            # ``package.function()``
            if not by_self:
                module = self._imported_module(call.func.value.id, scope.module)
        elif not by_self:
            module = None
        if module is None or name not in module.functions:
            yield PLACE
            return
        for function in module.functions[name]:
            inside = Scope(module, function, scope.owner if module is scope.module else None)
            for each in _returns(function):
                yield from self.values(each, inside, depth)

    def _imported(self, name: str, module: Module) -> Module | None:
        return self.modules.get(module.imports[name][0]) if name in module.imports else None

    def _imported_module(self, name: str, module: Module) -> Module | None:
        if name not in module.imports:
            return None
        return self.modules.get(".".join(module.imports[name]))


def _strings(values: list[Value]) -> list[str]:
    texts = (v if isinstance(v, str) and v != PASSED else PLACE for v in values)
    return list(dict.fromkeys(texts)) or [PLACE]


def _worth_saying(choices: list[str]) -> list[str]:
    """Without those that are names or numbers: a place does for them."""
    kept = [PLACE if " " not in each and _NAME.search(each) else each for each in choices]
    if kept == [""]:
        return [PLACE]
    if PLACE in kept:
        kept = [each for each in kept if each == PLACE or " " in each]
    return list(dict.fromkeys(kept))


def _element(value: Value, index: int) -> Iterator[Value]:
    if isinstance(value, tuple) and -len(value) <= index < len(value):
        yield from value[index]
    else:
        yield PLACE


def _assigned(function: ast.FunctionDef, name: str) -> Iterator[tuple[ast.expr, int | None]]:
    """Expressions given to a local name, with the index where a tuple is taken apart."""
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Name) and target.id == name:
                        yield value, None
                    elif isinstance(target, ast.Tuple):
                        names = [name_of(each) for each in target.elts]
                        if name in names and isinstance(target.elts[names.index(name)], ast.Name):
                            yield value, names.index(name)
            case ast.For(target=target, iter=several):
                names = [name_of(each) for each in getattr(target, "elts", [target])]
                if name in names:
                    index = names.index(name) if isinstance(target, ast.Tuple) else None
                    yield ast.Starred(several), index
            case (
                ast.AnnAssign(target=ast.Name(id=found), value=ast.expr() as value)
                | ast.NamedExpr(target=ast.Name(id=found), value=value)
            ) if found == name:
                yield value, None
            case ast.AugAssign(target=ast.Name(id=found) as target, op=ast.Add(), value=value) if (
                found == name
            ):
                yield ast.BinOp(ast.Constant(PLACE), ast.Add(), value), None


def _parameters(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    return [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _default(function: ast.FunctionDef, name: str) -> ast.expr | None:
    arguments = function.args
    plain = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    behind = dict(zip(reversed(plain), reversed(arguments.defaults), strict=False))
    named = dict(zip((a.arg for a in arguments.kwonlyargs), arguments.kw_defaults, strict=True))
    return behind.get(name) or named.get(name)


def _argument(call: ast.Call, names: list[str], name: str) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    at = names.index(name)
    before = call.args[: at + 1]
    for index, argument in enumerate(before):
        if isinstance(argument, ast.Starred):
            return ast.Subscript(argument.value, ast.Constant(at - index))
    return call.args[at] if at < len(call.args) else None


def _returns(function: ast.FunctionDef) -> Iterator[ast.expr]:
    inner = {
        id(n)
        for f in ast.walk(function)
        if isinstance(f, ast.FunctionDef | ast.Lambda) and f is not function
        for n in ast.walk(f)
    }
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None and id(node) not in inner:
            yield node.value
