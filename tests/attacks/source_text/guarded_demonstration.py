# ATTACK | tries: code under a main guard that must not run | must: full | may: passed
#: honest masked_softmax
if __name__ == "__main__":
    raise SystemExit("never")
