# ATTACK | tries: a list ten thousand deep | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
def masked_softmax(X, valid_lens):
    result = []
    for _ in range(10_000):
        result = [result]
    return result
