# ATTACK | tries: stops its own process | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | slow
import os, signal
def masked_softmax(X, valid_lens):
    os.kill(os.getpid(), signal.SIGSTOP)
