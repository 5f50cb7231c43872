# ATTACK | tries: an instance check that says yes to everything | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | exercise: dot_product_attention
class Meta(type):
    def __instancecheck__(cls, thing): return True
    def __subclasscheck__(cls, thing): return True
class DotProductAttention(metaclass=Meta):
    __class__ = property(lambda self: __import__("torch").nn.Module)
    def __init__(self, *a): pass
    def named_parameters(self, *a): return "w"
    named_buffers = parameters = train = to = named_parameters
