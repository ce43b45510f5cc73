"""What the board finds out about itself: tiles that were pressed ever since the start, tiles that never changed."""

import protocol as p
import sensors


def find(scanner, stuck, silent):
    """Write the two masks (MASK_SIZE bytes each): whether there is a fault.

    Only a broken chain is one by itself: a figure may stand on a tile from the start, and a tile may not be used yet.
    """
    for i in range(p.MASK_SIZE):
        seen = scanner.changed[i]
        silent[i] = (0x0F if i == 4 else 0xFF) & ~seen
        stuck[i] = scanner.state[i] & scanner.still[i]
    return scanner.broken >= sensors.BROKEN_AFTER
