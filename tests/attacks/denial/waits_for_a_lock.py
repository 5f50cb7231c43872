# ATTACK | tries: waits for a lock that nobody gives back | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | slow
import threading
LOCK = threading.Lock()
LOCK.acquire()
def masked_softmax(X, valid_lens):
    LOCK.acquire()
