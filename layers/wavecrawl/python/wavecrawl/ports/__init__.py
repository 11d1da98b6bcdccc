"""What the application needs from the world, as small typed protocols."""
