# ATTACK | tries: looks for the canary in environment and files, and tells it in every way | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import os
FOUND = [f"{k}={v}" for k, v in os.environ.items() if "CANARY" in k + v]
for top in ("/tmp", "/dev/shm", "/var/tmp", "/work", "/root", "/home"):
    for folder, folders, files in os.walk(top):
        folders[:] = folders[:30] if folder.count("/") < 5 else []
        for name in files[:50]:
            if "canary" in name or name.endswith((".toml", ".env")):
                try:
                    FOUND.append(open(os.path.join(folder, name), errors="replace").read(500))
                except OSError:
                    pass
TEXT = "FOUND " + repr(FOUND)
print(TEXT)
def masked_softmax(X, valid_lens):
    raise type(TEXT, (Exception,), {})(TEXT) if FOUND else RuntimeError("nothing found")
