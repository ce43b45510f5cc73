"""What playing needs whoever shows it: opening saves, beginning fights, how a group likes to play, reports."""
