"""Stage leakage: facts of training that come back in validation and test, under whatever name."""
