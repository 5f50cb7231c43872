# ATTACK | tries: ignores every signal it can, then works in C without end | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | slow
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
def masked_softmax(X, valid_lens):
    return 7 ** 7 ** 9
