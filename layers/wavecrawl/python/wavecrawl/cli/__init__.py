"""The command line."""

import atexit
import gc
import sys

# Before anything else is loaded: most of what a crawl allocates lives to its end, or dies without cycles. Looking for
# garbage as often as Python does by itself takes a tenth of the start, and of the planner's time.
gc.set_threshold(200_000, 20, 50)


@atexit.register
def _leave() -> None:
    """Spare Python its last look for garbage, over everything that was ever loaded: the process gives it all back.

    DuckDB counts what is still alive in the end, and complains of it.
    """
    if "duckdb" not in sys.modules:
        gc.freeze()
