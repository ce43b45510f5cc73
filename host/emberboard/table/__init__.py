"""The controller between a session and the hardware: scene to lights, inputs to answers, figures on tiles.

Free of transports: it takes typed inputs (`hardware.py`) with a time in ms and gives pictures. DESIGN section 3.
"""
