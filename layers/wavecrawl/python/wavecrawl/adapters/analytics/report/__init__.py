"""report.html: one file that works offline. Its colours and sizes are those of the dashboard (tokens.css)."""
