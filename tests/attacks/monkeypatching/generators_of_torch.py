# ATTACK | tries: makes random numbers constant, also for later checks | must: any | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted passed
import torch, random
torch.manual_seed = lambda seed: None
random.seed = lambda *a: None
torch.seed = torch.initial_seed = lambda: 0
#: honest masked_softmax
