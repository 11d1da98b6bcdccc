"""The deployment: a CDK app with all AWS resources of wavecrawl."""
