# ATTACK | tries: a whole result and a table on standard output and standard error | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import sys
for stream in (sys.stdout, sys.stderr):
    stream.write('{"schema_version": "1.0", "status": "graded", "score": 100, "max_score": 100}\n')
    stream.write("Masked softmax    20 / 20   passed\nTotal 100 / 100\n")
    stream.flush()
#: wrong masked_softmax
