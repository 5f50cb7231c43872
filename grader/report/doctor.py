"""What `grade doctor` says: versions, devices, and what student code can and cannot do here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import IO, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.printable import printable
from grader.report.terminal import make_console


def print_environment(environment: Mapping[str, Any], stream: IO[str]) -> None:
    """Print what `pipeline.describe_environment` found: {"versions": {name: text}, "devices": {name:
    text}, "isolation": {"level", "layers": [{"name", "active", "detail"}], "missing", "sentences"}}."""
    console = make_console(stream)
    _print_pairs(console, "Versions", dict(environment.get("versions") or {}).items())
    _print_pairs(console, "Devices", dict(environment.get("devices") or {}).items())
    isolation = environment.get("isolation") or {}
    layers = (
        (layer["name"], ("active" if layer["active"] else "missing", layer.get("detail", "")))
        for layer in isolation.get("layers") or ()
    )
    _print_pairs(console, f"Isolation: {isolation.get('level', 'unknown')}", layers)
    for sentence in isolation.get("sentences") or ():
        console.print(Text(f"  {printable(str(sentence), one_line=True)}"))
    missing = [str(name) for name in isolation.get("missing") or ()]
    if missing:
        console.print(Text(f"Missing: {', '.join(missing)}", style="yellow"))
    else:
        console.print(Text("Nothing is missing.", style="green"))


def _print_pairs(console: Console, title: str, pairs: Iterable[tuple[str, object]]) -> None:
    """A bold title and a line per pair; a tuple as second part is (state, detail)."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, said in pairs:
        parts = said if isinstance(said, tuple) else (said,)
        text = ": ".join(printable(str(part), one_line=True) for part in parts if str(part))
        style = "yellow" if parts[0] in ("missing", "not available") else ""
        table.add_row(Text(f"  {name}"), Text(text, style=style))
    console.print(Text(title, style="bold"))
    console.print(table)
    console.print()
