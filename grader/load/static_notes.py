"""Remarks for staff on code that no exercise needs: seen in the syntax tree, nothing is run.

A remark says what stands where; it is a reason to look, never worth points. Names are followed through
imports (`from os import system as s`), and no further: whoever hides a name by building it is noted for the
building.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from grader.load.names import printable
from grader.load.parsed import ParsedFile
from grader.records import Note

MAX_NOTES = 20  # for one file
MAX_NAME = 80  # characters
MAX_LINES = 5  # named in one remark

# What it means that code uses a name, or anything below it; the longest match counts.
_TABLE = (
    ("runs text as code", "exec eval compile code codeop runpy types.CodeType"),
    ("reads objects that can hold code", "pickle marshal dill torch.load numpy.load"),
    ("reaches into memory", "ctypes _ctypes cffi mmap torch.from_file"),
    ("loads machine code", "torch.utils.cpp_extension torch.ops torch.classes"),
    ("looks through the process's objects", "gc weakref.getweakrefs"),
    (
        "looks into other functions' frames",
        "sys._getframe sys._current_frames traceback.walk_stack inspect.stack inspect.currentframe "
        "inspect.trace inspect.getouterframes .f_back .f_locals .f_globals .f_builtins .tb_frame .gi_frame "
        ".cr_frame .ag_frame",
    ),
    ("reads source code", "inspect.getsource inspect.getsourcelines linecache tokenize.open"),
    (
        "reads or writes files",
        "open io.open codecs.open pathlib glob shutil tempfile fileinput os.open os.listdir os.scandir "
        "os.walk os.stat os.readlink os.remove os.rename os.replace os.unlink os.symlink os.link os.mkdir "
        "os.makedirs os.rmdir os.chmod os.truncate numpy.fromfile numpy.memmap numpy.loadtxt numpy.save "
        "torch.save .read_text .read_bytes .write_text .write_bytes .iterdir .rglob",
    ),
    ("uses descriptors", "os.read os.write os.dup os.dup2 os.close os.closerange os.fdopen os.pipe"),
    (
        "starts, ends or signals processes",
        "os.system os.popen os.fork os.forkpty os.kill os.killpg os.execl os.execle os.execlp os.execv "
        "os.execve os.execvp os.execvpe os.spawnl os.spawnle os.spawnlp os.spawnv os.spawnve os.spawnvp "
        "os.posix_spawn os.posix_spawnp os._exit os.abort posix _posixsubprocess subprocess multiprocessing "
        "pty signal concurrent.futures",
    ),
    ("uses the network", "socket urllib http requests ftplib smtplib asyncio ssl torch.hub"),
    ("goes on beside or after the call", "threading _thread atexit"),
    ("changes imports", "sys.modules sys.meta_path sys.path_hooks importlib.reload"),
    (
        "reaches into the interpreter",
        "sys.settrace sys.setprofile sys.addaudithook faulthandler types.FunctionType builtins __builtins__ "
        "resource .__globals__ .__closure__ .__code__ .__subclasses__ .__builtins__",
    ),
    ("names a part of the grader", "box grader solutions pytest"),
)
_MEANINGS: Mapping[str, str] = {name: meaning for meaning, names in _TABLE for name in names.split()}
# What the notebook of a handout imports for its check cells; a notebook may be handed in as a script.
_PRACTICE = frozenset({"grader.notebook", "grader.notebook.check", "grader.notebook.see"})
# Methods that Python or torch calls by itself.
_HOOKS = frozenset({"__torch_function__", "__torch_dispatch__", "__reduce__", "__reduce_ex__", "__del__"})
# Settings that books tell everybody to make.
_SETTINGS = ("torch.backends", "torch.multiprocessing", "os.environ", "sys.argv", "warnings.filters")
_IMPORTERS = frozenset({"__import__", "importlib.import_module", "importlib.__import__"})
_ATTRIBUTE_CALLS = frozenset(
    {"getattr", "setattr", "delattr", "operator.attrgetter", "operator.methodcaller"}
)


class _Sight(NamedTuple):
    line: int
    name: str
    meaning: str


def staff_notes(parsed: ParsedFile) -> list[Note]:
    """What staff may want to look at in this file, one remark for each name, by first line."""
    nodes = [node for item in parsed.facts for node in ast.walk(item.node)]
    aliases = _read_imports(nodes)
    seen: dict[tuple[str, str], list[int]] = {}
    for node in nodes:
        for sight in _sights(node, aliases):
            lines = seen.setdefault((sight.name, sight.meaning), [])
            if sight.line not in lines[-1:]:
                lines.append(sight.line)
    # `os.system` says more than the `import os.system` or the `os` in it.
    names = [name for name, _ in seen]
    ordered = sorted(
        (entry for entry in seen.items() if not any(name.startswith(f"{entry[0][0]}.") for name in names)),
        key=lambda entry: min(entry[1]),
    )
    notes = [
        _note(parsed, name, meaning, sorted(set(lines))) for (name, meaning), lines in ordered[:MAX_NOTES]
    ]
    if len(ordered) > MAX_NOTES:
        more = f"`{parsed.path}`: {len(ordered) - MAX_NOTES} more names that staff may want to look at."
        notes.append(Note(more, path=parsed.path, audience="staff"))
    return notes


def _note(parsed: ParsedFile, name: str, meaning: str, lines: list[int]) -> Note:
    where = parsed.where(lines[0])
    if len(lines) > 1:
        rest = [parsed.where(line).removeprefix(f"`{parsed.path}` ") for line in lines[1 : MAX_LINES + 1]]
        where += f" (also {'; '.join(rest)}{' and more' if len(lines) > MAX_LINES + 1 else ''})"
    said = f"{where}: `{printable(name, MAX_NAME)}` {meaning}."
    return Note(said, path=parsed.path, line=lines[0], audience="staff")


def _read_imports(nodes: list[ast.AST]) -> dict[str, str]:
    """What the file's imports call things: local name to full dotted name."""
    aliases: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                local = alias.asname or alias.name.partition(".")[0]
                aliases[local] = alias.name if alias.asname else local
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            aliases |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return aliases


def _sights(node: ast.AST, aliases: Mapping[str, str]) -> Iterator[_Sight]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from _imports(node)
    elif isinstance(node, ast.Call):
        yield from _calls(node, aliases)
    elif isinstance(node, (ast.Attribute, ast.Name)):
        yield from _uses(node, aliases)
    elif isinstance(node, ast.FunctionDef) and node.name in _HOOKS:
        yield _Sight(node.lineno, node.name, "is called by Python or torch on its own")
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        yield from _writes(node, node.value, aliases)


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[_Sight]:
    names = [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        names = [f"{node.module}.{name}" for name in names] if node.module and not node.level else []
    for name in names:
        if meaning := _meaning(name):
            yield _Sight(node.lineno, name, meaning)


def _calls(node: ast.Call, aliases: Mapping[str, str]) -> Iterator[_Sight]:
    called = _dotted(node.func, aliases).removeprefix("builtins.")
    arguments = node.args
    if called in _IMPORTERS:
        if not arguments or not _is_text(arguments[0]):
            yield _Sight(node.lineno, called, "imports a module by a name that the code builds")
        elif meaning := _meaning(str(ast.literal_eval(arguments[0]))):
            yield _Sight(node.lineno, f"{called}({ast.unparse(arguments[0])})", meaning)
    if called in _ATTRIBUTE_CALLS:
        position = 0 if called.startswith("operator.") else 1
        if len(arguments) > position and not _is_text(arguments[position]):
            yield _Sight(node.lineno, called, "takes an attribute by a name that the code builds")
        elif len(arguments) > 1 and _is_text(arguments[1]):
            name = f"{_dotted(arguments[0], aliases)}.{ast.literal_eval(arguments[1])}"
            if called in ("setattr", "delattr") and _is_foreign(name):
                yield _Sight(node.lineno, name, "is replaced")
            elif meaning := _meaning(name):
                yield _Sight(node.lineno, name, meaning)


def _uses(node: ast.Attribute | ast.Name, aliases: Mapping[str, str]) -> Iterator[_Sight]:
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        yield from _writes(node, node, aliases)
    if isinstance(node, ast.Attribute) and (meaning := _MEANINGS.get(f".{node.attr}")):
        yield _Sight(node.lineno, f".{node.attr}", meaning)
    if isinstance(node.ctx, ast.Load):
        name = _dotted(node, aliases).removeprefix("builtins.")
        if meaning := _meaning(name):
            yield _Sight(node.lineno, name, meaning)


def _writes(
    node: ast.Attribute | ast.Subscript, target: ast.expr, aliases: Mapping[str, str]
) -> Iterator[_Sight]:
    """Writing to what belongs to torch, the standard library or Python itself."""
    name = _dotted(target, aliases)
    is_item_of_dict = isinstance(node, ast.Subscript) and name.rpartition(".")[2] in ("__dict__", "modules")
    if _is_foreign(name) and (isinstance(node, ast.Attribute) or is_item_of_dict):
        yield _Sight(node.lineno, name, "is replaced")


def _is_foreign(name: str) -> bool:
    root, _, rest = name.partition(".")
    known = root in ("torch", "numpy", "builtins", "__builtins__") or root in sys.stdlib_module_names
    return bool(rest) and known and not any(_is_at_or_below(name, setting) for setting in _SETTINGS)


def _dotted(node: ast.expr, aliases: Mapping[str, str]) -> str:
    """The full dotted name of an expression like `F.softmax`; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    if node.id not in aliases and not hasattr(builtins, node.id):
        return ""  # the file's own name, whatever it is called
    return ".".join([aliases.get(node.id, node.id), *reversed(parts)])


def _meaning(name: str) -> str:
    if name in _PRACTICE:
        return ""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        if meaning := _MEANINGS.get(".".join(parts[:count])):
            return meaning
    return ""


def _is_at_or_below(name: str, place: str) -> bool:
    return name == place or name.startswith(f"{place}.")


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
