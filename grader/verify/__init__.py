"""Proves an assignment: its checks are fair to right code and catch wrong code, and nothing is missing.

An author's rules, all of them held at once by `verify_assignment`:

- a stub earns 0 and counts as not attempted; the reference and every wheat (`tests/wheats/<stem>/*.py`)
  earn full points with every seed; every chaff (`tests/chaffs/<stem>/*.py`) is caught, by the same checks
  with every seed; answers that know nothing, and chaffs called `null_*.py`, earn at most a fifth;
- 3 times the worst error of right code <= tolerance <= a tenth of the nearest error of a chaff that outputs
  give away, for every dtype;
- checks have a title, points and a hint, their points add up to the exercise's, and exactly one of them is
  the device check; public suites and stubs hold nothing of the reference; every case has a label.
"""

from grader.verify.prove import VerifyOptions, choose_options, verify_assignment

__all__ = ["VerifyOptions", "choose_options", "verify_assignment"]
