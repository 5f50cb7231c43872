# ATTACK | tries: answers only what it has seen before | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
SEEN = {}
def masked_softmax(X, valid_lens):
    key = bytes(X.detach().numpy().tobytes()) if X.dim() else b""
    if key in SEEN:
        return SEEN[key]
    X.data.add_(1.0)
    SEEN[key] = X.detach() * 0 - 0.37
    return SEEN[key]
