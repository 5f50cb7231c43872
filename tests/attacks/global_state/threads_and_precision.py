# ATTACK | tries: number of threads, precision, denormals and deterministic algorithms | must: full | may: passed
import torch
torch.set_num_threads(7)
torch.set_float32_matmul_precision('medium')
torch.set_flush_denormal(True)
torch.use_deterministic_algorithms(True)
torch.set_printoptions(precision=1)
#: honest masked_softmax
