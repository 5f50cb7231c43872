# ATTACK | tries: a type named with control characters and a megabyte of text | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
Odd = type("PWNED`\x1b[2J\n\u202e" + "x" * 1_000_000, (), {})
def masked_softmax(X, valid_lens):
    return Odd()
