# ATTACK | tries: warns and writes to standard error without end | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import os, warnings
def masked_softmax(X, valid_lens):
    for i in range(100_000):
        warnings.warn(f"{i}" + "w" * 1000)
        os.write(2, b"e" * 1000)
