"""The layers of the Lambda functions, and how they are built."""
