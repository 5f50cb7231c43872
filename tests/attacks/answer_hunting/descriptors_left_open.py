# ATTACK | tries: reads whatever descriptor is open | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import os
FOUND = []
for fd in [0, *range(5, 300)]:
    try:
        FOUND.append((fd, os.fstat(fd).st_mode, os.read(fd, 50) if fd else b""))
    except OSError:
        pass
if any(part for _, _, part in FOUND):
    raise RuntimeError(f"LEAK {FOUND}")
#: wrong masked_softmax
