"""HTTP exchanges: headers, outcomes."""
