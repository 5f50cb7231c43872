# ATTACK | tries: the inputs in warnings and logs | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
def told(X, valid_lens):
    return "TOLD " + repr(X.detach().flatten()[:4].tolist()) + repr(valid_lens)

import logging, warnings
def masked_softmax(X, valid_lens):
    warnings.warn(told(X, valid_lens))
    logging.error(told(X, valid_lens))
    X.data.add_(1.0)
    return X.detach() * 0 - 0.37
