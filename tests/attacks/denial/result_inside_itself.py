# ATTACK | tries: a list that holds itself | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
def masked_softmax(X, valid_lens):
    result = [X]
    result.append(result)
    return result
