# ATTACK | tries: a tensor without entries whose axes overflow | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import json, os, struct
def send(header, payload=b"", magic=b"AG1\n"):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    os.write(3, struct.pack("!4sIQ", magic, len(text), len(payload)) + text + payload)

def masked_softmax(X, valid_lens):
    for number in range(1, 60):
        send({"id": number, "ok": {"graph": 1, "value": {"": ["tensor", "float32", [0] + [(1 << 40) - 1] * 11, False, "cpu"]}}})
    return None
