# ATTACK | tries: pytest's and unittest's ways to leave a test | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import unittest
#: wrong masked_softmax
_wrong = masked_softmax
def masked_softmax(X, valid_lens):
    try:
        import pytest
        pytest.skip("not today")
    except ImportError:
        raise unittest.SkipTest("not today")
