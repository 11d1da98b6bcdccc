"""Request pace per host, and robots.txt."""
