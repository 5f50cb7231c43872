# ATTACK | tries: answers in the loader's place with each wrong kind | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import random, sys, torch
KINDS = [None, 3, [], {}, torch.ones(2), torch.tensor(1), {"missing": 1}, {"missing": [], "names": 5}, {"missing": [], "names": [], "changed": [[]]},
         {"missing": [], "names": [1, None], "changed": [[1, 2, 3]]}, {"missing": [[]], "names": [{}], "changed": [[None, torch.ones(3)]]}]
for name, module in list(sys.modules.items()):
    if name.endswith("box.worker"):
        module.Worker.op_load = lambda self, request: random.choice(KINDS)
        module.Worker.answer = lambda self, request: random.choice(KINDS)
#: wrong masked_softmax
