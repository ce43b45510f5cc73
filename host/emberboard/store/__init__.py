"""Where games are kept: the durable journal over SQLite, and the folder of saves (DESIGN section 2).

Knows the kernel's `Journal` contract and nothing of rules, tables or pages.
"""

from emberboard.store.damage import DamagedJournal
from emberboard.store.recovery import recover
from emberboard.store.saves import Save, delete, folder, home, latest_open, list_saves, new_path
from emberboard.store.sqlite_journal import SqliteJournal, create, open_journal

__all__ = [
    "DamagedJournal",
    "Save",
    "SqliteJournal",
    "create",
    "delete",
    "folder",
    "home",
    "latest_open",
    "list_saves",
    "new_path",
    "open_journal",
    "recover",
]
