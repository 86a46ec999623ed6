"""Where the rooms meet pytest: options, cells, bodies, gates, shrinking, and what workers and controller share."""
