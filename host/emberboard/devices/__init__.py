"""The devices beside the tiles: keys and seat buttons, token readers, rail; and the file that says where they are."""
