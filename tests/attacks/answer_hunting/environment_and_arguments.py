# ATTACK | tries: looks for secrets in environment and arguments | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import os, sys
TEXT = repr((dict(os.environ), sys.argv, sys.orig_argv, sys.flags, os.getcwd()))
print(TEXT)
if "CANARY" in TEXT or "hidden" in TEXT:
    raise RuntimeError("LEAK " + TEXT)
#: wrong masked_softmax
