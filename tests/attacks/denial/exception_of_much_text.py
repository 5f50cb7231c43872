# ATTACK | tries: an exception of fifty megabytes in a chain of ten thousand | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
def masked_softmax(X, valid_lens):
    err = ValueError("a" * 50_000_000)
    for _ in range(10_000):
        cause, err = err, ValueError("b")
        err.__cause__ = cause
    raise err
