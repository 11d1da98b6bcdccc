"""When known pages are requested again: change rates, intervals, what is due."""
