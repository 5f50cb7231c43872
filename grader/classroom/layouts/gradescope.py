"""Gradescope: `submission_metadata.yml` beside folders `submission_555001/`, one per submission.

The file says whose each folder is; several submitters make a group. Its keys are Ruby symbols (`:name`).
It is read with a loader that makes strings of all values, so that `001001` stays what it is and nothing in
it can run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from grader.classroom.identities import clean
from grader.classroom.layout import Attempt, Claim, Fit, Layout, Left, Surroundings
from grader.classroom.records import DiscoveryError, Entry, Identity, Placed
from grader.classroom.tree import Tree, is_leaf

METADATA = "submission_metadata.yml"
MAX_METADATA_BYTES = 256 * 1024 * 1024
_Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # the C one is about ten times as fast


def recognise(tree: Tree, around: Surroundings) -> Fit | None:
    if not any(entry.parts == (METADATA,) for entry in tree.leaves):
        return None
    return Fit(1.0, f"`{METADATA}` lists its folders")


def claim(tree: Tree, around: Surroundings) -> Iterator[Claim]:
    listed = _read_metadata(tree, around)
    for name, inner in tree.top.items():
        if name in listed and not is_leaf(inner):
            continue
        for entry in inner:
            reason = (
                "is the list of submissions"
                if entry.parts == (METADATA,)
                else f"is not listed in `{METADATA}`"
            )
            yield Left(entry, reason)
    for name, facts in listed.items():
        inner = () if is_leaf(tree.top.get(name, ())) else tree.top.get(name, ())
        yield _attempt(name, facts, inner)


def _attempt(folder: str, facts: Mapping[str, Any], inner: tuple[Entry, ...]) -> Attempt:
    people = tuple(_identity(one) for one in _list(_get(facts, "submitters")))
    first = people[0] if people else Identity()
    created = _text(_get(facts, "created_at"))
    keys = sorted(one.sis_id or one.email or one.name for one in people)
    notes = [] if inner else ["Its folder is listed and not there."]
    history = _list(_get(facts, "history"))
    if history:
        notes.append(f"Gradescope has {len(history)} earlier attempts, which are not part of its export.")
    return Attempt(
        person="\0".join(keys) or folder,
        id_base=f"{first.name}_{folder.removeprefix('submission_')}" if first.name else folder,
        identity=first,
        files=tuple(Placed("/".join(entry.parts[1:]) or folder, entry) for entry in inner),
        order=(0.0, created),
        when=clean(created),
        group=people if len(people) > 1 else (),
        earlier=len(history),
        notes=tuple(notes),
    )


def _identity(person: object) -> Identity:
    if not isinstance(person, Mapping):
        return Identity()
    name, sid, email = (clean(_text(_get(person, key))) for key in ("name", "sid", "email"))
    return Identity(name=name, sis_id=sid, email=email)


def _read_metadata(tree: Tree, around: Surroundings) -> Mapping[str, Mapping[str, Any]]:
    entry = next((one for one in tree.leaves if one.parts == (METADATA,)), None)
    if entry is None:
        raise DiscoveryError(f"`{tree.shown}` holds no `{METADATA}`, which every Gradescope export has.")
    try:
        listed = yaml.load(around.read(entry, MAX_METADATA_BYTES), Loader=_Loader)
    except (yaml.YAMLError, RecursionError) as err:
        raise DiscoveryError(f"`{entry.shown}` is not valid YAML: {clean(str(err))}.") from err
    if not isinstance(listed, Mapping):
        raise DiscoveryError(f"`{entry.shown}` lists no submissions.")
    return {str(name): facts if isinstance(facts, Mapping) else {} for name, facts in listed.items()}


def _get(facts: Mapping[str, Any], key: str) -> object:
    return facts.get(f":{key}", facts.get(key))


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) and value != "~" else ""


LAYOUT = Layout("gradescope", "Gradescope, `Export Submissions`", recognise, claim)
