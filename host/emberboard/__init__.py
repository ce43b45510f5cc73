"""Emberboard: a table of LED tiles that runs a tabletop game's whole rulebook."""
