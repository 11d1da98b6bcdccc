"""The interfaces between the application and its adapters, as small typed protocols."""
