"""The ports in AWS: DynamoDB, S3, SQS, Step Functions, EventBridge, Secrets Manager."""
