# ATTACK | tries: a thread that an orderly end would wait for | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import threading, time
threading.Thread(target=time.sleep, args=(30,)).start()
#: wrong masked_softmax
