# ATTACK | tries: replaces isinstance, len, type and print everywhere | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import builtins
builtins.isinstance = lambda *a: True
builtins.len = lambda x: 1
builtins.sorted = lambda *a, **k: []
builtins.print = lambda *a, **k: None
#: wrong masked_softmax
