# ATTACK | tries: signals its parent, its group and everybody | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import os, signal
DONE = []
for pid in (os.getppid(), -os.getppid(), 1, 2, -1, 0):
    for number in (0, signal.SIGURG, signal.SIGWINCH):
        try:
            os.kill(pid, number)
            DONE.append((pid, number))
        except OSError:
            pass
if DONE and os.getppid():
    raise RuntimeError(f"LEAK signals reach {DONE}")
#: wrong masked_softmax
