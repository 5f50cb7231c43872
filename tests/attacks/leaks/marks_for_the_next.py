# ATTACK | tries: leaves marks wherever another submission could read them | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import os, tempfile
for folder in ("/tmp", "/dev/shm", "/var/tmp", os.path.expanduser("~"), ".", os.environ.get("XDG_RUNTIME_DIR", "/run"), tempfile.gettempdir() if os.access("/tmp", os.W_OK) else "/tmp"):
    for name in ("PWNED", ".PWNED"):
        try:
            open(os.path.join(folder, name), "w").write("x")
        except OSError:
            pass
try:
    from multiprocessing import shared_memory
    shared_memory.SharedMemory("PWNED_shm", create=True, size=10)
except (OSError, ImportError):
    pass
#: wrong masked_softmax
