"""What the cloud's function handlers share: requests and answers, signatures, logging, tracing, metrics."""
