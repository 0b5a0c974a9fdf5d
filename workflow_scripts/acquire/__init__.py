"""Stage acquire: raw files, downloaded or local, verified and fingerprinted."""
