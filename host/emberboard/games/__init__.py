"""The games: rules and content packs, each built on the engine only."""
