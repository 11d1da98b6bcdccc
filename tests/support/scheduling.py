"""The distribution of tests by pytest-xdist: one worker per file, so that fixtures are shared; long files first.

`--dist worksteal` would create module and session fixtures on every worker. `--dist loadfile` starts with the files
that have the most tests, and those are short.
"""

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

CLOUD = "tests/e2e/cloud/"
SHARED = "the shared deployment"
"""What one worker runs: the files in `CLOUD` that share a deployment, which takes a minute to make."""

RECOVERY = f"{CLOUD}test_recovery.py"
_OTHERS = ("updated_in_mid_crawl", "many_crawls", "deployed_twice", "doctor", "deployed_sql", "large_crawls")
OWN_DEPLOYMENT = (RECOVERY, *(f"{CLOUD}test_{name}.py" for name in _OTHERS))
"""Files that use no deployment but their own, on an emulator of their own."""

LONG_FIRST = (
    RECOVERY,
    SHARED,
    "tests/infra/test_state_machine.py",
    "tests/e2e/local/",
    CLOUD,  # after tests that need the processor: much of their time is waiting
    "tests/browser/",
    "tests/infra/",
    "tests/handlers/cloud/",
)


class LongFilesFirst(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """A queue of test files, and of folders whose files share an expensive fixture."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        return SHARED if path.startswith(CLOUD) and path not in OWN_DEPLOYMENT else path

    def _assign_work_unit(self, node: WorkerController) -> None:
        self.workqueue.move_to_end(min(self.workqueue, key=_rank), last=False)
        super()._assign_work_unit(node)


def _rank(path: str) -> int:
    return next((place for place, prefix in enumerate(LONG_FIRST) if path.startswith(prefix)), len(LONG_FIRST))
