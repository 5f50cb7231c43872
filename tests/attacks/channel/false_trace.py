# ATTACK | tries: writes a false report of where it was, with endless line numbers, then crashes | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import json, os, struct
def send(header, payload=b"", magic=b"AG1\n"):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    os.write(3, struct.pack("!4sIQ", magic, len(text), len(payload)) + text + payload)

def masked_softmax(X, valid_lens):
    line = b'  File "<student>/masked_softmax.py", line '
    os.set_blocking(4, True)
    os.write(4, (line + b"9" * 5000 + b" in f\n") * 5 + line + b"\xd9\xa3 in g\n" + line + b"0 in h\n")
    os.abort()
