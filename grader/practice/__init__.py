"""The student's own loop: public checks, on this machine, as often as one likes; nothing is handed in.

How it works: `places` finds what is to be checked, `practice` keeps a judge host ready and asks it,
`standing` is what is known so far, `page` shows it. `watching` does so again whenever a file is saved, told
by `watcher` and `keys`; `changes` says what a save touches. `suites` is pytest's way in.
"""
