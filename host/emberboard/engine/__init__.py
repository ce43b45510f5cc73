"""The kernel: questions, procedures, journal, dice, piles, stats, grid, content, odds (DESIGN section 2).

Imports nothing of ours outside this package; three games stand on it.
"""
