# ATTACK | tries: as many threads as it gets | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import threading, time
THREADS = 0
try:
    for _ in range(400):
        threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
        THREADS += 1
except RuntimeError:
    pass
#: wrong masked_softmax
