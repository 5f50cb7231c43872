# ATTACK | tries: says in a later question that there is no device, so that nothing runs on it | must: partial | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted passed
import sys, torch
for name, module in list(sys.modules.items()):
    if name.endswith("box.worker"):
        module.Worker.op_device = lambda self, request: {"name": None, "reason": "TOLD ['nothing here']"}
#: honest masked_softmax
_right = masked_softmax
def masked_softmax(X, valid_lens):
    if X.device.type != "cpu":
        return _right(X.cpu(), valid_lens if valid_lens is None else valid_lens.cpu())
    return _right(X, valid_lens)
