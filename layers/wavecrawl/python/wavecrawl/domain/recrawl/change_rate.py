"""How often a page changes, and the interval between two requests for it.

A page is assumed to change like a Poisson process. A request shows whether the page has changed since the one before,
but not how often. The rate is the most probable one for such observations at irregular intervals, as in section 5 of J.
Cho and H. Garcia-Molina, "Estimating frequency of change", ACM Transactions on Internet Technology 3 (3), 2003,
https://doi.org/10.1145/857166.857170. The mean rate of similar pages counts as one more observation (a gamma prior):
without it, a page that never changed would have the rate 0, and one that always did an infinite rate.
"""

from collections.abc import Sequence
from math import expm1
from typing import NamedTuple

_EXACT = 1e-9
_FLAT = 300.0  # beyond it, a gap says nothing more, and its square would be too large for a float


class Gap(NamedTuple):
    """The time between two requests for a page, in seconds, and whether the page had changed after it."""

    seconds: float
    changed: bool


class GapSum(NamedTuple):
    """The sum of the gaps of many pages."""

    changes: int = 0
    changed_seconds: float = 0.0  # of the gaps with a change
    quiet_seconds: float = 0.0  # of the others

    def plus(self, gaps: Sequence[Gap]) -> "GapSum":
        """Return the sum with more gaps."""
        return GapSum(
            self.changes + sum(gap.changed for gap in gaps),
            self.changed_seconds + sum(gap.seconds for gap in gaps if gap.changed),
            self.quiet_seconds + sum(gap.seconds for gap in gaps if not gap.changed),
        )

    def rate(self, prior: float) -> float:
        """Return the approximate changes per second, with one change at the rate `prior` in addition.

        It is the first step of `change_rate`: a change counts as if it had happened in the middle of its gap.
        """
        return (self.changes + 1) / (self.quiet_seconds + self.changed_seconds / 2 + 1 / prior)


def change_rate(gaps: Sequence[Gap], prior: float) -> float:
    """Return the most probable changes per second of a page; `prior` is the rate expected without gaps.

    It solves sum(t / (exp(r t) - 1) over the gaps with a change) + 1 / r = sum(t over the others) + 1 / prior. The left
    side falls with r and is convex, so Newton's method from below approaches the solution and never passes it.
    """
    quiet = 1 / prior + sum(gap.seconds for gap in gaps if not gap.changed)
    changed = [gap.seconds for gap in gaps if gap.changed and gap.seconds > 0]
    rate = (len(changed) + 1) / (quiet + sum(changed) / 2)  # from x / (e^x - 1) >= 1 - x / 2: not above the solution
    step = rate
    while step > _EXACT * rate:
        value, slope = 1 / rate - quiet, -1 / rate**2
        for seconds in changed:
            x = min(rate * seconds, _FLAT)
            grown = expm1(x)
            value += seconds / grown
            slope -= seconds**2 * (grown + 1) / grown**2
        step = -value / slope
        rate += step
    return rate


def interval_of(rate: float, *, base: float, usual: float, least: float, most: float) -> float:
    """Return the seconds until the next request for a page that changes `rate` times a second.

    The mean age of stored copies is smallest, for a number of requests, if a further request to any page would lower it
    equally (J. Cho and H. Garcia-Molina, "Effective page refresh policies for web crawlers", ACM Transactions on
    Database Systems 28 (4), 2003, https://doi.org/10.1145/958942.958945). If intervals are not much longer than the
    time between changes, the age is rate * interval^2 / 6, and so the interval is proportional to the cube root of
    1 / rate. A page with one change per `usual` seconds has the interval `base`.
    """
    return float(min(most, max(least, base * (1 / (rate * usual)) ** (1 / 3))))
