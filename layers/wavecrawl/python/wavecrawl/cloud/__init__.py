"""The Lambda functions: one module per function, named after it."""
