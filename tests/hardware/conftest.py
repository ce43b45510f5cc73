"""The circuits, drawn once for all tests that only look at them."""

import pytest
from hardware.sheet import Sheet
from hardware.tile_board import tile_board


@pytest.fixture(scope="session")
def board() -> Sheet:
    return tile_board()
