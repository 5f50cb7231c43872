# ATTACK | tries: prints until it is stopped | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
def masked_softmax(X, valid_lens):
    while True:
        print("x" * 10000)
