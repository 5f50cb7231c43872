# ATTACK | tries: a module's life with replies of every wrong kind | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | exercise: dot_product_attention
import itertools, sys
import torch
from torch import nn
KINDS = [None, True, 7, 1e999, "text", [], {}, [1, 2], {"object": "x", "state": {}}, {"object": 1},
         {"object": 1, "state": None}, {"object": 1, "state": {"tensors": [], "lazy": 1}}, {"changed": [[]], "seed": "x"},
         {"object": 1, "state": {"tensors": {"w": {"value": 3, "grad": 1, "buffer": 0}}, "lazy": False}},
         {"object": 1, "state": {"tensors": {"w": {"value": torch.ones(3), "grad": torch.ones(2), "buffer": []}}, "lazy": torch.ones(2)}},
         {"found": True}, {"value": torch.ones(1), "graph": None}, {"value": torch.ones(1)}, {"inputs": 3, "parameters": []},
         {"inputs": [1], "parameters": {"w": 1}}, torch.ones(2, 2), {"changed": 3}, {"changed": [["x"]]}, {"changed": [[torch.ones(2), torch.ones(2)]]},
         {"found": 1, "names": 4}, {"missing": 3, "names": [], "changed": []}]
TURN = itertools.cycle(range(len(KINDS)))
def answer(self, request):
    return KINDS[next(TURN)]
for name, module in list(sys.modules.items()):
    if name.endswith("box.worker"):
        worker_of = module.Worker
class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        worker_of.answer = answer
    def forward(self, queries, keys, values, valid_lens=None):
        return values
