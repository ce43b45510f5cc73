"""The bench kit over the fakes, its lines on stdout and with less patience."""

import logging
import sys

import bench_kit

logging.basicConfig(level=logging.INFO, stream=sys.stdout)
bench_kit.TILE_WITHIN_MS = 500
bench_kit.run()
