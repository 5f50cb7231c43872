# ATTACK | tries: the name is bound to None in the end | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
#: honest masked_softmax
masked_softmax = None
