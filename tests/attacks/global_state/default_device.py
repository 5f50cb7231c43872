# ATTACK | tries: makes another device the default | must: any | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted passed
import torch
torch.set_default_device('meta')
#: honest masked_softmax
