"""The layers of the Lambda functions and their build."""
