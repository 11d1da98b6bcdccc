"""The command line."""

import atexit
import gc
import sys

# Set before the other imports. Most objects of a crawl live to its end or are freed without a cycle; with Python's
# default thresholds, garbage collection takes a tenth of the start and of the planner's time.
gc.set_threshold(200_000, 20, 50)


@atexit.register
def _skip_last_collection() -> None:
    """Skip the garbage collection at exit, unless DuckDB is loaded: it complains about objects still alive."""
    if "duckdb" not in sys.modules:
        gc.freeze()
