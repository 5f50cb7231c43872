# ATTACK | tries: replaces the functions that answer for this process | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import sys, torch
for name, module in list(sys.modules.items()):
    if name.endswith("box.worker"):
        module.Worker.answer = lambda self, request: {"value": "passed", "graph": 1, "outcome": "passed"}
        module._reply = lambda worker, request: b"passed"
#: wrong masked_softmax
