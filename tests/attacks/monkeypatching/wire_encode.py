# ATTACK | tries: replaces the packing of answers | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import sys
for name, module in list(sys.modules.items()):
    if name.endswith("box.wire"):
        module.encode = lambda value, to_cpu=None: b"AG1\n" + b"\x00" * 12
        module._pack = lambda value, packing, depth: "passed"
#: wrong masked_softmax
