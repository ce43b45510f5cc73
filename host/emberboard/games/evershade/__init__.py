"""Lands of Evershade: its rules as procedures, its content as packs. Words are those of the rulebook's glossary."""
