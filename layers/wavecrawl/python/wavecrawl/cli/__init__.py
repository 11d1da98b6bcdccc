"""The command line."""

import gc

# Before anything else is loaded: most of what a crawl allocates lives to its end, or dies without cycles. Looking for
# garbage as often as Python does by itself takes a tenth of the start, and of the planner's time.
gc.set_threshold(50_000, 20, 50)
