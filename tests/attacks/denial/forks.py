# ATTACK | tries: processes by fork, vfork, exec, spawn and the shell | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import os, subprocess, sys
DONE = []
for start in (os.fork, os.forkpty, lambda: os.posix_spawn("/bin/true", ["true"], {}), lambda: os.execv("/bin/true", ["true"]),
              lambda: subprocess.Popen([sys.executable or "python", "-c", "import time; time.sleep(20)"])):
    try:
        pid = start()
        if pid == 0:
            os.setsid()
            import time
            time.sleep(20)
            os._exit(0)
        DONE.append(start)
    except OSError:
        pass
if DONE or os.system("sleep 20 &") == 0:
    raise RuntimeError("LEAK a process was started")
#: wrong masked_softmax
