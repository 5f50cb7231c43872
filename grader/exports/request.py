"""One result to be written for a target: what is asked, its settings, what comes back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.exports.targets import HasSettings, ResultFormat, SettingError
from grader.printable import printable
from grader.records import Audience
from grader.report.audience import for_audience
from grader.report.schema import Report


@dataclass(frozen=True)
class Request:
    """A report (already cut down to `audience`) and the target's settings, each with a value.

    `root` is the folder that the report's paths are relative to, as seen from where the command runs.
    """

    report: Report
    audience: Audience
    settings: Mapping[str, str] = field(default_factory=dict)
    root: str = ""

    def number(self, name: str) -> float | None:
        """A setting that is a number above zero; None if it is not given.

        Raises:
            SettingError: it is something else.
        """
        text = self.settings.get(name, "")
        if not text:
            return None
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not 0 < value < math.inf:
            shown = printable(text, 80, one_line=True)
            raise SettingError(f"`{name}` takes a number above zero, got `{shown}`.")
        return value

    @property
    def factor(self) -> float:
        """By what points are multiplied so that the whole is worth the setting `maximum`."""
        maximum = self.number("maximum")
        if maximum is None or not self.report.max_score:
            return 1.0
        return maximum / self.report.max_score


@dataclass(frozen=True)
class Rendered:
    """The document, and texts to append to files that environment variables of the target name."""

    text: str
    appended: Mapping[str, str] = field(default_factory=dict)


def settle(target: HasSettings, given: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """Every setting of the target that has a value.

    Raises:
        SettingError: unknown ones are given or needed ones are missing; it names all of them.
    """
    known = {setting.name: setting for setting in target.settings}
    unknown = [name for name in given if name not in known]
    if unknown:
        names = ", ".join(f"`{printable(name, 80, one_line=True)}`" for name in unknown)
        if not known:
            raise SettingError(f"This target takes no settings, so there is nothing to say with {names}.")
        raise SettingError(
            f"There is no setting {names} for this target.", hint=f"Its settings: {', '.join(known)}."
        )
    found = {}
    for name, setting in known.items():
        value = given.get(name) or environ.get(setting.variable, "") or setting.default
        if value is not None:
            found[name] = value
    missing = [setting for name, setting in known.items() if name not in found]
    if missing:
        wanted = "; ".join(f"`--with {one.name}=...` ({one.meaning})" for one in missing)
        raise SettingError(f"The target needs more than the result says: {wanted}.")
    return found


def render(
    target: ResultFormat,
    report: Report,
    audience: Audience,
    settings: Mapping[str, str],
    root: str = "",
) -> Rendered:
    """The target's document for a report.

    Raises:
        NotGradableError: the report has no score, and the target no document that says so.
        SettingError: a setting has a value that the target cannot use.
    """
    return target.render(Request(for_audience(report, audience), audience, settings, root))
