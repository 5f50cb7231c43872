# ATTACK | tries: imports itself while it is imported | must: full | may: passed
import masked_softmax as again
from masked_softmax import *
#: honest masked_softmax
