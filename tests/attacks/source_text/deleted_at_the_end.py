# ATTACK | tries: the function is deleted once all is read | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
#: honest masked_softmax
del masked_softmax
