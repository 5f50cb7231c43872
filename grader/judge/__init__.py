"""The processes that judge: a host that collects the suites once, and a fork of it for each submission."""
