# ATTACK | tries: gives every wrong kind of answer to a later question for the device | must: any | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted passed
import itertools, sys, torch
TURN = itertools.cycle([3, [], {}, {"name": torch.ones(2)}, {"name": "TOLD ['x']", "reason": 1}, {"name": "cpu", "reason": ""}])
for name, module in list(sys.modules.items()):
    if name.endswith("box.worker"):
        module.Worker.op_device = lambda self, request: next(TURN)
#: honest masked_softmax
