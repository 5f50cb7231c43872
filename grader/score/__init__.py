"""From what pytest brought back to points: the only place where a score comes into being."""

from grader.score.scoring import score_run
from grader.score.unscored import needs_regrade_report, rejected_report

__all__ = ["needs_regrade_report", "rejected_report", "score_run"]
