"""The web part of the floor service: pages for tables, walls, pit and consoles, live by server-sent events."""
