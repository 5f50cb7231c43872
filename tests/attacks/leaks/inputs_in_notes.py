# ATTACK | tries: the inputs as the name of a changed setting | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
def told(X, valid_lens):
    return "TOLD " + repr(X.detach().flatten()[:4].tolist()) + repr(valid_lens)

import sys
TEXT = []
def masked_softmax(X, valid_lens):
    TEXT.append(told(X, valid_lens))
    for name, module in list(sys.modules.items()):
        if name.endswith("box.audit"):
            module.Audit.changes = lambda self: [type("C", (), {"name": TEXT[-1], "undone": True})()]
    X.data.add_(1.0)
    return X.detach() * 0 - 0.37
