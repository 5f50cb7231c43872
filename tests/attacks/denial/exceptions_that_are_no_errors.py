# ATTACK | tries: KeyboardInterrupt, GeneratorExit, StopIteration and an own BaseException | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import itertools
class Own(BaseException): pass
TURN = itertools.cycle([KeyboardInterrupt, GeneratorExit, StopIteration, StopAsyncIteration, SystemExit, Own, BaseExceptionGroup("g", [Own()])])
def masked_softmax(X, valid_lens):
    raise next(TURN)
