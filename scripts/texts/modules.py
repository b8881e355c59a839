"""The product's modules as their source says them: what each defines, binds, calls and imports."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path


def read(root: Path, folders: Iterable[str]) -> dict[str, Module]:
    """Read all modules of some folders.

    Args:
        root: the checkout.
        folders: packages in it.

    Returns:
        The modules by their dotted names.
    """
    modules: dict[str, Module] = {}
    for path in sorted(path for folder in folders for path in (root / folder).rglob("*.py")):
        relative = path.relative_to(root).as_posix()
        module = modules[_dotted(relative)] = Module(relative)
        _Reader(module).visit(ast.parse(path.read_text(encoding="utf-8")))
    return modules


@dataclass
class Module:
    """One file: what it defines, calls and imports, by name."""

    path: str
    functions: dict[str, list[ast.FunctionDef]] = field(default_factory=dict)
    constants: dict[str, list[ast.expr]] = field(default_factory=dict)
    attributes: dict[str, list[Bound]] = field(default_factory=dict)
    calls: dict[str, list[Called]] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)


@dataclass(frozen=True)
class Scope:
    """Where a name is looked up."""

    module: Module
    function: ast.FunctionDef | None = None
    owner: ast.ClassDef | None = None


@dataclass(frozen=True)
class Bound:
    """An expression, and where it stands."""

    value: ast.expr
    scope: Scope


@dataclass(frozen=True)
class Called:
    """A call, and where it stands."""

    call: ast.Call
    scope: Scope


def name_of(expression: ast.expr) -> str:
    """The last part of a dotted name; empty where it is none."""
    if isinstance(expression, ast.Name):
        return expression.id
    return expression.attr if isinstance(expression, ast.Attribute) else ""


class _Reader(ast.NodeVisitor):
    def __init__(self, module: Module) -> None:
        self._scope = Scope(module)
        self._module = module

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._module.functions.setdefault(node.name, []).append(node)
        self._inside(Scope(self._module, node, self._scope.owner), node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._module.classes[node.name] = node
        self._inside(Scope(self._module, None, node), node)

    def visit_Call(self, node: ast.Call) -> None:
        self._module.calls.setdefault(name_of(node.func), []).append(Called(node, self._scope))
        self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self._module.imports[alias.asname or alias.name] = (node.module or "", alias.name)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._bind(target, node.value)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._bind(node.target, node.value)
            self.generic_visit(node)

    def _inside(self, scope: Scope, node: ast.AST) -> None:
        outer, self._scope = self._scope, scope
        self.generic_visit(node)
        self._scope = outer

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name) and self._scope.function is None:
            self._module.constants.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Attribute):
            self._module.attributes.setdefault(target.attr, []).append(Bound(value, self._scope))
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for one, other in zip(target.elts, value.elts, strict=False):
                self._bind(one, other)


def _dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
