"""Emberboard's circuits as code: what is soldered, in which order it is connected, and what it draws."""
