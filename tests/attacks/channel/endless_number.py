# ATTACK | tries: a number of a hundred thousand digits | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import json, os, struct
def send(header, payload=b"", magic=b"AG1\n"):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    os.write(3, struct.pack("!4sIQ", magic, len(text), len(payload)) + text + payload)

def masked_softmax(X, valid_lens):
    send(b'{"id": ' + b'9' * 100_000 + b'}')
    return None
