# ATTACK | tries: uses up all descriptors | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import os
KEPT = []
try:
    while True:
        KEPT.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
#: wrong masked_softmax
