"""The page: table, seats and virtual hardware in a browser, over one WebSocket a page."""
