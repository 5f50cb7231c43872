# ATTACK | tries: a thread that changes the result after it was returned | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import threading, time, torch
def masked_softmax(X, valid_lens):
    X.data.add_(1.0)
    result = torch.zeros_like(X)
    def change():
        end = time.time() + 0.3
        while time.time() < end:
            result.fill_(1.0 / X.shape[-1])
            result.zero_()
    threading.Thread(target=change, daemon=True).start()
    return result
