# ATTACK | tries: a class whose instances are strings | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | exercise: dot_product_attention
class DotProductAttention:
    def __new__(cls, *a, **k):
        return "a module"
