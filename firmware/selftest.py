"""What the board finds out about itself: tiles that were pressed ever since the start, tiles that never changed."""

import protocol as p


def find(scanner, stuck, silent):
    """Write the two masks (MASK_SIZE bytes each). Neither is a fault by itself: a figure may stand on a tile from the
    start, and a tile may not be used yet; who tests goes over all tiles with the wand first."""
    for i in range(p.MASK_SIZE):
        silent[i] = (0x0F if i == 4 else 0xFF) & ~scanner.changed[i]
        stuck[i] = scanner.state[i] & scanner.still[i]
