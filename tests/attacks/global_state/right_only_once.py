# ATTACK | tries: right in the first call and wrong in all later ones | must: any | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted passed
#: honest masked_softmax
_right, CALLS = masked_softmax, []
def masked_softmax(X, valid_lens):
    CALLS.append(1)
    return _right(X, valid_lens) if len(CALLS) == 1 else X.detach() * 0 - 0.37
