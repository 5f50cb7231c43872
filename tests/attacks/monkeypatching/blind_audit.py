# ATTACK | tries: leaves the default dtype changed and has the audit see nothing | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import sys, torch
for name, module in list(sys.modules.items()):
    if name.endswith("box.audit"):
        module.Audit.changes = lambda self: []
        module._ASPECTS = ()
torch.set_default_dtype(torch.float64)
torch.set_grad_enabled(False)
#: wrong masked_softmax
