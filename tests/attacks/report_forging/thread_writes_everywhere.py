# ATTACK | tries: a thread that goes on writing to every descriptor | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import os, threading
def forge():
    while True:
        for fd in range(1, 20):
            try:
                os.write(fd, b'{"score": 100}\n')
            except OSError:
                pass
threading.Thread(target=forge, daemon=True).start()
#: wrong masked_softmax
