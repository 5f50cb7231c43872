# ATTACK | tries: error records with wrong types in every place | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import itertools, sys, torch
RECORDS = [{"bad_return": torch.ones(3)}, {"type": None, "message": [1] * 50}, {"type": "x" * 90000, "frames": 3}, {"frames": [3, [], ["masked_softmax", 10 ** 17, ""], ["masked_softmax", -5, ""]]},
           {"frames": [["masked_softmax", True, "f"]] * 9000}, {"memory": True, "type": "PWNED"}, {"exit": True, "type": {"a": 1}}, {"unsupported": True}, {"bad_return": "\x1b[2J" * 10000}, {}]
TURN = itertools.cycle(RECORDS)
for name, module in list(sys.modules.items()):
    if name.endswith("box.errors"):
        module.describe = lambda err: next(TURN)
def masked_softmax(X, valid_lens):
    raise ValueError("no")
