# ATTACK | tries: closes all descriptors and goes on | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import json, os, struct
def send(header, payload=b"", magic=b"AG1\n"):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    os.write(3, struct.pack("!4sIQ", magic, len(text), len(payload)) + text + payload)

def masked_softmax(X, valid_lens):
    os.closerange(0, 64)
    import time
    time.sleep(0.2)
    return X
