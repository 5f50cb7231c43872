"""Runs the probe submission in a worker: what can student code do here?"""

from __future__ import annotations

import os
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from grader.catalog import ExerciseSpec, Limits
from grader.errors import HarnessError, StudentError
from grader.records import SourceText
from grader.sandbox import probe
from grader.sandbox.box.layers import Layer
from grader.sandbox.isolation import merge_layers
from grader.sandbox.template import Template
from grader.student.handle import Student
from grader.student.material import Material
from grader.student.session import Session


class ProbeResult(NamedTuple):
    """What a worker said of its layers, and what code in it can do."""

    layers: tuple[Layer, ...]
    abilities: Mapping[str, bool]


def probe_workers(template: Template, secrets: Sequence[Path]) -> ProbeResult:
    """Start a worker with the probe in it and ask.

    Raises:
        HarnessError: no worker can be started, or the probe does not answer.
    """
    source = SourceText("probe", "probe.py", probe.PROBE_SOURCE)
    spec = ExerciseSpec("probe", "Probe", 1.0, ("probe",))
    client = template.connect()
    session = Session(client, Material(spec, source, {}), Limits(), random.Random(0))
    try:
        with probe.canary() as secret:
            paths = [str(secret), *map(str, secrets)]
            answers = Student(session).probe(paths, os.getpid())
    except StudentError as err:
        raise HarnessError(f"The probe of the isolation failed: {err.message}") from err
    finally:
        session.retire()
        client.close()
    abilities = {str(name): answer is True for name, answer in answers.items()}
    return ProbeResult(merge_layers(template.plan, session.layers), abilities)
