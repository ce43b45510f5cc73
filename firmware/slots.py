"""Two update slots, /a and /b: which one runs, which one is tried, and the way back.

The state is one line of a file: the slot that is kept, the slot on trial or `-`, and `new` (tried at the next start),
`tried` (it was started and not confirmed) or `-`. The file is replaced by renaming, so a cut of power leaves the one
before. Source: DESIGN section 4, "Update over the wire".
"""

import os

SLOTS = ("a", "b")
STATE = "slots.txt"


class Slots:
    """`root` is the folder that holds the slots and the state, with a trailing /."""

    def __init__(self, root="/"):
        self.root = root
        self.kept, self.trial, self.step = "a", "-", "-"
        self.running = "a"
        try:
            with open(root + STATE) as file:
                words = file.read().split()
        except OSError:
            return
        if len(words) == 3 and words[0] in SLOTS and words[2] in ("new", "tried", "-"):
            self.kept, self.trial, self.step = words
            self.running = self.trial if self.step == "tried" else self.kept

    def _save(self):
        with open(self.root + STATE + ".new", "w") as file:
            file.write("%s %s %s\n" % (self.kept, self.trial, self.step))
        os.rename(self.root + STATE + ".new", self.root + STATE)

    def start(self):
        """What to start: called once at each start, by boot.py. An unconfirmed trial goes back to the kept slot."""
        if self.step == "new":
            self.step = "tried"
            self.running = self.trial
            self._save()
        elif self.step == "tried":
            self.trial = self.step = "-"
            self.running = self.kept
            self._save()
        return self.running

    def other(self):
        """The slot that does not run: an update goes there."""
        return "b" if self.running == "a" else "a"

    def activate(self):
        """The next start tries the other slot."""
        self.kept, self.trial, self.step = self.running, self.other(), "new"
        self._save()

    def confirm(self):
        """It runs well: the slot that runs is kept."""
        if self.unconfirmed():
            self.kept = self.running
            self.trial = self.step = "-"
            self._save()

    def unconfirmed(self):
        """Whether what runs is on trial."""
        return self.step == "tried" and self.running == self.trial
