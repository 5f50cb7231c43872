# ATTACK | tries: an exception whose class, text and traceback lie | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
class Meta(type):
    __name__ = property(lambda cls: 1 / 0)
    def __instancecheck__(cls, thing): raise SystemExit
class Odd(Exception, metaclass=Meta):
    __class__ = property(lambda self: SystemExit)
    __traceback__ = property(lambda self: 1 / 0)
    __cause__ = __context__ = property(lambda self: self)
    def __str__(self): return 7
    __repr__ = __str__
def masked_softmax(X, valid_lens):
    raise Odd()
