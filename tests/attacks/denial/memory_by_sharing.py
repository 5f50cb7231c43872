# ATTACK | tries: shared mappings, memory files and System V segments | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import ctypes, mmap, os
KEPT, TAKEN = [], 0
try:
    for _ in range(40):
        KEPT.append(mmap.mmap(-1, 100 << 20))
        TAKEN += 100 << 20
except (OSError, ValueError, MemoryError):
    pass
try:
    fd = os.memfd_create("x")
    TAKEN += 10 << 30
except OSError:
    pass
if ctypes.CDLL(None, use_errno=True).shmget(0, 1 << 20, 0o1600) >= 0 or TAKEN > 3 << 30:
    raise RuntimeError("LEAK memory beyond the limit")
#: wrong masked_softmax
