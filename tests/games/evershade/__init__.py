"""Lands of Evershade: what worked examples cannot say, schemas and properties."""
