"""The untrusted side: a template process, the workers forked from it, and our handle on both."""
