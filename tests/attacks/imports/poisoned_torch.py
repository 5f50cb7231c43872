# ATTACK | tries: puts modules of its own in torch's place | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import sys, types
for name in ("torch", "torch.nn", "json", "struct", "numpy", "pytest"):
    fake = types.ModuleType(name)
    fake.__getattr__ = lambda attribute: (lambda *a, **k: True)
    sys.modules[name] = fake
#: wrong masked_softmax
