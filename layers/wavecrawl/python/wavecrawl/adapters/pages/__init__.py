"""The parser of pages, with a child process for those whose cost their size does not bound."""
