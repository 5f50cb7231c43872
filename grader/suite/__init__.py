"""What a suite imports: comparisons, weights and failures; the fixtures come from the plugin.

A suite is ordinary pytest and ordinary PyTorch. A check is a test function in `test_<stem>.py` whose
docstring's first line is its title; `@pytest.mark.points(n)` gives its points.
"""

from grader.suite.comparison import check_form, gradients_of, show
from grader.suite.failures import CheckFailed, fail, require
from grader.suite.properties import check_dropped, check_untouched, parts_of
from grader.suite.weights import fit_shape, match_parameters, share_weights

__all__ = [
    "CheckFailed",
    "check_dropped",
    "check_form",
    "check_untouched",
    "fail",
    "fit_shape",
    "gradients_of",
    "match_parameters",
    "parts_of",
    "require",
    "share_weights",
    "show",
]
