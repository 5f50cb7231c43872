# ATTACK | tries: the inputs in text, type, notes and cause of an exception | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
def told(X, valid_lens):
    return "TOLD " + repr(X.detach().flatten()[:4].tolist()) + repr(valid_lens)

def masked_softmax(X, valid_lens):
    text = told(X, valid_lens)
    err = type(text, (Exception,), {})(text)
    err.add_note(text)
    raise err from ValueError(text)
