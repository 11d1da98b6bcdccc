"""The deployment: a CDK app that describes everything wavecrawl needs in AWS."""
