"""What every stage shares. Many small modules: an edit of one re-runs only the rules that import it."""
