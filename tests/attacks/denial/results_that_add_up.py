# ATTACK | tries: as large a result as may travel, from every call | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import torch
#: honest masked_softmax
_right = masked_softmax
KEPT = torch.zeros(4_000_000)
def masked_softmax(X, valid_lens):
    return [_right(X, valid_lens), KEPT, KEPT, KEPT]
