# ATTACK | tries: never finishes to be imported | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | slow
while True:
    pass
