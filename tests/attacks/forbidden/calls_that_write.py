# ATTACK | tries: files by open, mkdir, link, rename, truncate and mknod | must: full | may: passed
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
BUFFER = ctypes.create_string_buffer(4096)
DONE = [name for name, arguments in (
    *(("open", (f"{folder}/PWNED".encode(), 0o101, 0o666)) for folder in ("/tmp", "/dev/shm", "/var/tmp", ".", "/run")),
    ("mkdir", (b"/tmp/PWNED_folder", 0o777)), ("symlink", (b"/etc", b"/tmp/PWNED_link")), ("link", (b"/etc/hosts", b"/tmp/PWNED_hard")),
    ("rename", (b"/tmp/a", b"/tmp/PWNED")), ("truncate", (b"/tmp/PWNED", 1)), ("mkfifo", (b"/tmp/PWNED_fifo", 0o666)),
) if libc[name](*arguments) >= 0]
if DONE:
    raise RuntimeError(f"LEAK these calls are allowed: {DONE}")
#: honest masked_softmax
