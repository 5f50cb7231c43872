# ATTACK | tries: replaces the modules that frames are made with | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import json, struct
json.dumps = lambda *a, **k: '{"ok": true}'
json.loads = lambda *a, **k: {"op": "audit", "id": 1}
struct.pack = lambda *a: b""
#: wrong masked_softmax
