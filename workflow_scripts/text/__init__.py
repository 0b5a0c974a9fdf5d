"""Stage text: MEDLINE XML to unique sentences with their places."""
