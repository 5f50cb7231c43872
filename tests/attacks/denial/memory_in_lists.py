# ATTACK | tries: lists until there is no memory, over and over | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
KEPT = []
def masked_softmax(X, valid_lens):
    while True:
        try:
            KEPT.append(bytearray(64 << 20))
        except MemoryError:
            return X.detach() * 0
