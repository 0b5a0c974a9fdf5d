"""Tables, figures, deviations, the comparison with the paper and the report."""
