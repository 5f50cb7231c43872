# ATTACK | tries: lines that CI systems and LMSs read as commands | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
LINES = "\n::set-output name=score::100\n##vso[task.complete result=Succeeded;]\n" \
    '{"_presentation":"semantic"}\n{"scores": {"masked_softmax": 20}}\n1..1\nok 1\n##teamcity[testFinished]\n'
print(LINES)
def masked_softmax(X, valid_lens):
    print(LINES)
    raise RuntimeError(LINES)
