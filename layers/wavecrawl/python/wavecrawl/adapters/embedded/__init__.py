"""The ports on one machine: SQLite, a folder, a process pool, an in-process state machine."""
