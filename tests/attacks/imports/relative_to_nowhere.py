# ATTACK | tries: imports from packages above | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
from ...grader import reference
#: wrong masked_softmax
