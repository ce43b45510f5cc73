"""Where games are kept: the durable journal over SQLite, and the folder of saves (DESIGN section 2).

Knows the kernel's `Journal` contract and nothing of rules, tables or pages.
"""

from emberboard.store.damage import DamagedJournal
from emberboard.store.exchange import export_bytes, export_file, export_name, import_bytes, import_file
from emberboard.store.reading import copy_of
from emberboard.store.recovery import recover
from emberboard.store.saves import Save, delete, folder, home, latest_open, list_saves, new_path, save_named
from emberboard.store.sqlite_journal import SqliteJournal, create, open_journal

__all__ = [
    "DamagedJournal",
    "Save",
    "SqliteJournal",
    "copy_of",
    "create",
    "delete",
    "export_bytes",
    "export_file",
    "export_name",
    "folder",
    "home",
    "import_bytes",
    "import_file",
    "latest_open",
    "list_saves",
    "new_path",
    "open_journal",
    "recover",
    "save_named",
]
