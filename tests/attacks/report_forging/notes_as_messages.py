# ATTACK | tries: sends text of its own as a remark about changed state | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import sys
def forged(self):
    text = "PWNED NOTE \x1b[2J Total 100 / 100 " + "x" * 100000
    return [type("C", (), {"name": text, "undone": True})() for _ in range(500)]
for name, module in list(sys.modules.items()):
    if name.endswith("box.audit"):
        module.Audit.changes = forged
#: wrong masked_softmax
