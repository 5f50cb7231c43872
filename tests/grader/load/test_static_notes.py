"""Remarks for staff: what in a submission's text is a reason to look at it, and what is not."""

from __future__ import annotations

import textwrap
from pathlib import Path

import nbformat
import pytest

from grader.catalog import read_assignment
from grader.load import load_submission
from grader.records import Note

ROOT = Path(__file__).resolve().parents[3]
HONEST = "def masked_softmax(X, valid_lens):\n    return X.softmax(-1)\n"


@pytest.fixture
def notes_on(tmp_path: Path):
    """`notes_on(code)`: the staff notes on a file `masked_softmax.py` that starts with this code."""

    def read(code: str) -> list[Note]:
        text = textwrap.dedent(code) + "\n" + HONEST
        (tmp_path / "masked_softmax.py").write_text(text, "utf-8")
        submission = load_submission(tmp_path, read_assignment(ROOT))
        assert submission.exercises["masked_softmax"].source is not None
        return [note for note in submission.notes if note.audience == "staff"]

    return read


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("exec('1')", "`masked_softmax.py` line 1: `exec` runs text as code."),
        ("import builtins\nbuiltins.eval('1')", "line 2: `eval` runs text as code."),
        ("compile('1', 'x', 'eval')", "`compile` runs text as code."),
        ("import ctypes", "line 1: `ctypes` reaches into memory."),
        ("import ctypes as c\nc.CDLL(None)", "line 2: `ctypes.CDLL` reaches into memory."),
        ("import gc\ngc.get_objects()", "`gc.get_objects` looks through the process's objects."),
        ("import sys\nsys._getframe()", "`sys._getframe` looks into other functions' frames."),
        ("from inspect import stack as s\ns()", "`inspect.stack` looks into other functions' frames."),
        ("try:\n  1\nexcept E as e: e.__traceback__.tb_frame", "`.tb_frame` looks into other functions'"),
        ("__import__('o' + 's')", "`__import__` imports a module by a name that the code builds."),
        ("import importlib\nimportlib.import_module(name())", "by a name that the code builds."),
        (
            "import importlib\nimportlib.import_module('subprocess')",
            "`importlib.import_module('subprocess')`",
        ),
        (
            "import os\ngetattr(os, 'sys' + 'tem')",
            "`getattr` takes an attribute by a name that the code builds.",
        ),
        ("import os\ngetattr(os, 'system')", "`os.system` starts, ends or signals processes."),
        ("import torch\ntorch.softmax = f", "`torch.softmax` is replaced."),
        ("import torch.nn.functional as F\nF.softmax = f", "`torch.nn.functional.softmax` is replaced."),
        ("from torch import nn\nnn.Module.__call__ = f", "`torch.nn.Module.__call__` is replaced."),
        ("import torch\nsetattr(torch.Tensor, 'sum', f)", "`torch.Tensor.sum` is replaced."),
        ("import builtins\nbuiltins.print = f", "`builtins.print` is replaced."),
        ("import sys\nsys.modules['torch'] = f", "`sys.modules` is replaced."),
        ("open('x').read()", "`open` reads or writes files."),
        ("from pathlib import Path\nPath('x').read_text()", "`.read_text` reads or writes files."),
        ("import os\nos.listdir('/')", "`os.listdir` reads or writes files."),
        ("import subprocess\nsubprocess.run(['ls'])", "`subprocess.run` starts, ends or signals processes."),
        ("import socket\nsocket.socket()", "`socket.socket` uses the network."),
        ("().__class__.__base__.__subclasses__()", "`.__subclasses__` reaches into the interpreter."),
        ("class T:\n  def __reduce__(self): ...", "`__reduce__` is called by Python or torch on its own."),
        ("def hidden():\n  def inner():\n    return eval('1')", "line 3: `eval` runs text as code."),
    ],
)
def test_a_suspicious_use_is_noted_with_its_line(notes_on, code: str, said: str) -> None:
    assert any(said in note.text for note in notes_on(code)), notes_on(code)


@pytest.mark.parametrize(
    "code",
    [
        "import os\nos.environ['OMP_NUM_THREADS'] = '1'\nos.path.join('a', 'b')",
        "import torch\ntorch.backends.cudnn.deterministic = True\ntorch.manual_seed(0)",
        "import re\nRULE = re.compile('x')",
        "import inspect\ninspect.signature(print)",
        "class A:\n  def __init__(self): self.eval = 1\nA().eval",
        "code = 1\nbox = code\nsignal = box",
        "from torch import nn\nnet = nn.Linear(2, 2)\nnet.eval()\nnet.weight.data = net.bias",
        "getattr(1, 'real')",
        "'''exec(eval(open(x)))'''  # import os; os.system('x')",
    ],
)
def test_ordinary_code_is_not_noted(notes_on, code: str) -> None:
    assert notes_on(code) == []


def test_one_remark_names_all_lines_of_a_name(notes_on) -> None:
    (note,) = notes_on("eval('1')\n\neval('2')\neval('3')")
    assert note.text == ("`masked_softmax.py` line 1 (also line 3; line 4): `eval` runs text as code.")
    assert (note.line, note.path) == (1, "masked_softmax.py")


def test_many_names_are_cut_to_a_number(notes_on) -> None:
    notes = notes_on("import os\n" + "\n".join(f"os.posix_spawn.a{i}" for i in range(50)))
    assert len(notes) == 21
    assert notes[-1].text == "`masked_softmax.py`: 30 more names that staff may want to look at."


def test_a_place_in_a_notebook_is_named_by_cell_and_line(tmp_path: Path) -> None:
    cells = [nbformat.v4.new_code_cell("x = 1"), nbformat.v4.new_code_cell(HONEST + "\neval('1')")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "all.ipynb")
    submission = load_submission(tmp_path, read_assignment(ROOT))
    said = [note.text for note in submission.notes if note.audience == "staff"]
    assert said == ["`all.ipynb` cell 2, line 4: `eval` runs text as code."]


def test_references_and_stubs_have_no_remarks() -> None:
    for folder in ("exercises", "solutions"):
        submission = load_submission(ROOT / folder, read_assignment(ROOT))
        assert [note for note in submission.notes if note.audience == "staff"] == []
