"""What stands in for the hardware: the simulated bus, virtual boards, keys, readers and rail (DESIGN section 5)."""
