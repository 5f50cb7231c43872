# ATTACK | tries: ends itself with each deadly signal | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import itertools, os, signal
TURN = itertools.cycle([signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT, signal.SIGXCPU, signal.SIGRTMIN + 3])
def masked_softmax(X, valid_lens):
    os.kill(os.getpid(), next(TURN))
    return X.detach() * 0
