# ATTACK | tries: looks through sys.modules and linecache for texts that are not its own | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import linecache, sys
def masked_softmax(X, valid_lens):
    for name, module in list(sys.modules.items()):
        other = getattr(module, "masked_softmax", None)
        if other is not None and other is not masked_softmax:
            return other(X, valid_lens)
    for name, entry in list(linecache.cache.items()):
        text = "".join(entry[2]) if len(entry) > 2 else ""
        if "def masked_softmax" in text and "linecache" not in text:
            scope = {}
            exec(text, scope)
            return scope["masked_softmax"](X, valid_lens)
    X.data.add_(1.0)
    return X.detach() * 0 - 0.37
