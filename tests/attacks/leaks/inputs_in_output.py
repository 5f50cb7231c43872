# ATTACK | tries: the inputs on both streams, at once and by a thread later | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
def told(X, valid_lens):
    return "TOLD " + repr(X.detach().flatten()[:4].tolist()) + repr(valid_lens)

import sys, threading, time
def masked_softmax(X, valid_lens):
    text = told(X, valid_lens)
    print(text, flush=True)
    print(text, file=sys.stderr, flush=True)
    threading.Thread(target=lambda: (time.sleep(0.05), print(text, flush=True)), daemon=True).start()
    X.data.add_(1.0)
    return X.detach() * 0 - 0.37
