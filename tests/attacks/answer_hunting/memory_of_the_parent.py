# ATTACK | tries: reads memory, maps and environment of other processes | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import os
FOUND = []
for pid in ["self", str(os.getppid()), "1", *[p for p in (os.listdir("/proc") if os.access("/proc", os.R_OK) else []) if p.isdigit()][:50]]:
    for name in ("environ", "maps", "mem", "cmdline"):
        try:
            with open(f"/proc/{pid}/{name}", "rb") as file:
                FOUND.append(file.read(100))
        except OSError:
            pass
if FOUND and any(b"CANARY" in part or b"=" in part for part in FOUND):
    print("LEAK", FOUND)
#: wrong masked_softmax
