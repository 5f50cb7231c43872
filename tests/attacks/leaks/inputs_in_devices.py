# ATTACK | tries: the inputs as the name of a tensor's device | must: any | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted passed
def told(X, valid_lens):
    return "TOLD " + repr(X.detach().flatten()[:4].tolist()) + repr(valid_lens)

import builtins, sys, torch
TEXT = ["cpu"]
for name, module in list(sys.modules.items()):
    if name.endswith("box.wire"):
        pack = module._pack_tensor
        module._pack_tensor = lambda value, packing: {"": [*pack(value, packing)[""][:-1], TEXT[-1]]}
def masked_softmax(X, valid_lens):
    TEXT.append(told(X, valid_lens))
    return torch.softmax(X, -1)
