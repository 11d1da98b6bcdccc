"""A site with a known answer, served on loopback."""
