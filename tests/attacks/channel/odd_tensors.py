# ATTACK | tries: tensors outside of their frame, with wrong types in every place | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import json, os, struct
def send(header, payload=b"", magic=b"AG1\n"):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    os.write(3, struct.pack("!4sIQ", magic, len(text), len(payload)) + text + payload)

def masked_softmax(X, valid_lens):
    for part in ({"dtype": "object"}, {"shape": [-1]}, {"shape": [True]}, {"shape": [9]}, {"shape": [1 << 70]}, {"shape": "3"}, {"dtype": []}, {"grad": "yes", "device": "PWNED" * 50}):
        node = {"": ["tensor", *{"dtype": "float32", "shape": [], "grad": True, "device": "cpu", **part}.values()]}
        for number in range(1, 40):
            send({"id": number, "ok": {"graph": 1, "value": node}}, b"\0" * 4)
    return None
