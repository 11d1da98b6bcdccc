"""Rules for the tests that no linter checks."""

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
LITERALS = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Constant)


def loops_without_proof(tree: ast.Module) -> Iterator[str]:
    """Yield tests whose assertions all stand in loops over computed collections, which may be empty."""
    for test in tree.body:
        if isinstance(test, ast.FunctionDef) and test.name.startswith("test_"):
            written = _written_out(tree) | _written_out(test)
            proofs = {id(node) for node in ast.walk(test) if _proves(node)}
            loops = [node for node in ast.walk(test) if _may_be_empty(node, written)]
            if proofs and proofs <= {id(inner) for loop in loops for inner in ast.walk(loop)}:
                yield test.name


def _written_out(scope: ast.Module | ast.FunctionDef) -> set[str]:
    """Return the names of collections whose elements are written out in the file."""
    assigned = [node for node in scope.body if isinstance(node, ast.Assign) and isinstance(node.value, LITERALS)]
    return {target.id for node in assigned for target in node.targets if isinstance(target, ast.Name)}


def _proves(node: ast.AST) -> bool:
    if isinstance(node, ast.With):
        return any("raises" in ast.unparse(item.context_expr) for item in node.items)
    return isinstance(node, ast.Assert)


def _may_be_empty(node: ast.AST, written: set[str]) -> bool:
    if not isinstance(node, ast.For):
        return False
    over = node.iter
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.func.id in {"enumerate", "zip", "range"}:
        over = over.args[0]
    return not (isinstance(over, LITERALS) or (isinstance(over, ast.Name) and over.id in written))


def test_assertions_in_loops_are_reached() -> None:
    """A loop over an empty collection asserts nothing, so a test must first check that there are elements."""
    files = sorted(TESTS.rglob("test_*.py"))
    assert len(files) > 100
    found = {path.name: list(loops_without_proof(ast.parse(path.read_text(encoding="utf-8")))) for path in files}
    assert {name: tests for name, tests in found.items() if tests} == {}


def test_a_loop_over_a_computed_collection_proves_nothing() -> None:
    tree = ast.parse(
        "def test_a():\n for one in found():\n  assert one\ndef test_b():\n for one in (1, 2):\n  assert one"
    )
    assert list(loops_without_proof(tree)) == ["test_a"]
