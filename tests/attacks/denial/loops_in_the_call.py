# ATTACK | tries: never returns | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | slow
def masked_softmax(X, valid_lens):
    while True:
        pass
