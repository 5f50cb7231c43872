# ATTACK | tries: the inputs in the name of the result's type | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
def told(X, valid_lens):
    return "TOLD " + repr(X.detach().flatten()[:4].tolist()) + repr(valid_lens)

def masked_softmax(X, valid_lens):
    return type(told(X, valid_lens), (), {})()
