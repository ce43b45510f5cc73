"""Small games that prove the kernel: a playground for its own tests, and two toys with other games' rules."""
