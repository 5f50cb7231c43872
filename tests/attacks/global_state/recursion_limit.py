# ATTACK | tries: hardly any recursion left | must: any | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted passed
import sys
sys.setrecursionlimit(140)
#: honest masked_softmax
