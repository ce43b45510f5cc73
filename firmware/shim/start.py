"""What MicroPython does at power-up: boot.py, then main.py."""

import boot  # noqa: F401
import main  # noqa: F401
