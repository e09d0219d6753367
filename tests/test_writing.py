"""Whatever the commands write goes to a hidden name first: no call of a writer stands outside of `saving`'s blocks."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULES = [*(ROOT / "scripts").rglob("*.py"), *(ROOT / "analytic" / "simsect").glob("*.py")]
WRITERS = {"write_bytes", "to_netcdf", "to_csv", "savez", "savez_compressed", "savetxt", "savefig", "imwrite"}
BLOCKS = {"writing", "together", "writing_folder"}  # of `saving`, and of a command's `Output`


def called(node: ast.AST) -> str:
    """Return the last name of what a call calls, with `saving` or `open` told from methods of that name."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=name)):
            owner = value.id if isinstance(value, ast.Name) else ""
            return name if name != "write_text" or owner != "saving" else "saving.write_text"
        case ast.Call(func=ast.Name(id=name)):
            return name
    return ""


def writes(node: ast.AST) -> bool:
    """Return whether a call writes a file by itself."""
    name = called(node)
    if name == "open":
        modes = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        return any(mode[:1] in "wax" for mode in modes if len(mode) < 4)
    return name in WRITERS or (name == "write_text" and isinstance(node.func, ast.Attribute))


def unguarded(node: ast.AST, guarded: bool = False) -> Iterator[int]:
    """Yield the lines of calls that write outside of the blocks."""
    if isinstance(node, ast.With):
        guarded = guarded or any(called(item.context_expr) in BLOCKS for item in node.items)
    if writes(node) and not guarded:
        yield node.lineno
    for child in ast.iter_child_nodes(node):
        yield from unguarded(child, guarded)


def test_every_writer_writes_to_a_hidden_name():
    found = {
        f"{path.relative_to(ROOT)}:{line}"
        for path in MODULES
        for line in unguarded(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert not found
    writers = sum(path.read_text(encoding="utf-8").count("saving.") for path in MODULES)
    assert writers > 20


def test_the_check_sees_writers():
    code = """
def f(path, out):
    path.write_text("x")
    with open(path, "w") as file:
        np.savez(path, a=1)
    with saving.writing(path) as part:
        part.write_text("x")
        figure.savefig(part)
    with out.writing("a", "b") as (a, b):
        np.savetxt(a, 1)
    saving.write_text(path, "x")
    write_text(path, "x")
    open(path)
"""
    assert list(unguarded(ast.parse(code))) == [3, 4, 5]
