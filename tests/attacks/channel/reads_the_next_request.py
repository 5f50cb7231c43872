# ATTACK | tries: takes the grader's next request off the channel | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import json, os, struct
def send(header, payload=b"", magic=b"AG1\n"):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    os.write(3, struct.pack("!4sIQ", magic, len(text), len(payload)) + text + payload)

def masked_softmax(X, valid_lens):
    import threading
    threading.Thread(target=lambda: [os.read(3, 1 << 16) for _ in range(100)], daemon=True).start()
    return X.detach() * 0
