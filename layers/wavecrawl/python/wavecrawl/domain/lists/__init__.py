"""Lists of URLs that are uploaded as files."""
