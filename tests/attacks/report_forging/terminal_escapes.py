# ATTACK | tries: cursor movement, a window title, a hyperlink and a cleared screen | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
print("\x1b[2J\x1b[H\x1b]0;graded\x07\x1b[32mTotal 100 / 100\x1b[0m\r\x1b[1A")
print("\x9b2J \x1b]8;;http://127.0.0.1/\x1b\\link\x1b]8;;\x1b\\ \x08\x08\x08 \u202e001 / 001 latoT\u202c")
def masked_softmax(X, valid_lens):
    raise ValueError("\x1b[2K\x1b[1A\rpassed \u2066\u202e\u2069 \x00 \x07 \ud800")
