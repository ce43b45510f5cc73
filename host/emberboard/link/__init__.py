"""The tile bus: wire protocol, the host's master, the board's side, which board lies where (DESIGN section 4)."""
