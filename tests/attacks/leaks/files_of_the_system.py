# ATTACK | tries: files that tell of users, keys and the machine | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
FOUND = []
for name in ("/etc/passwd", "/etc/shadow", "/root/.bashrc", "/root/.ssh/id_rsa", "/proc/self/environ", "/proc/1/cmdline", "/run/secrets", "/etc/hostname"):
    try:
        FOUND.append((name, open(name).read(20)))
    except OSError:
        pass
if FOUND:
    raise RuntimeError(f"LEAK {FOUND}")
#: wrong masked_softmax
