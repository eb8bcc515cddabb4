"""Tools for those who build hopattn: searches, a referee for a change of design, faults that the tests must find."""
