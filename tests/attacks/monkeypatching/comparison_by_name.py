# ATTACK | tries: replaces allclose, isclose, equal and assert_close | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import torch
for owner in (torch, torch.Tensor, torch.testing):
    for name in ("allclose", "isclose", "equal", "assert_close", "ne", "eq", "isfinite", "isnan"):
        if hasattr(owner, name):
            setattr(owner, name, lambda *a, **k: True)
#: wrong masked_softmax
