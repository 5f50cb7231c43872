# ATTACK | tries: walks up from the worker's own files to solutions and suites | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import os, sys
def hunt():
    starts = {os.path.dirname(getattr(m, "__file__", "") or "/") for n, m in list(sys.modules.items()) if "box" in n}
    for start in starts | {os.getcwd(), "/work", "/autograder", "/home", "/root", os.path.expanduser("~")}:
        for _ in range(6):
            for name in ("solutions", "tests/hidden", "exercises"):
                folder = os.path.join(start, name)
                try:
                    for file in os.listdir(folder):
                        yield open(os.path.join(folder, file)).read()
                except OSError:
                    pass
            start = os.path.dirname(start)
FOUND = list(hunt())
if FOUND:
    print("LEAK", FOUND)
    exec(FOUND[0])
#: wrong masked_softmax
