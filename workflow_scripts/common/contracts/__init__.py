"""One module per table that crosses the wall between two stages."""
