"""What can go wrong on the way to an LMS, told apart by what may be done next."""

from __future__ import annotations

from grader.errors import GraderError


class PushError(GraderError):
    """Nothing can be sent, or nothing more: wrong settings, no access, or a platform that does not answer."""


class RefusedError(PushError):
    """The platform took in what was sent for one student and refused it; others may go on."""


class ConflictError(PushError):
    """The platform says that it has something newer; it must be read before anything is sent again."""


class UncertainError(PushError):
    """No answer, or an error of the platform's own: what was sent may have arrived or not."""
