"""The distribution of tests by pytest-xdist: one worker per file, so that fixtures are shared; long files first.

`--dist worksteal` would create module and session fixtures on every worker. `--dist loadfile` starts with the files
that have the most tests, and those are short.
"""

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

ALONE = "tests/e2e/cloud/test_recovery.py"  # has its own deployment
ONE_WORKER = ("tests/e2e/cloud/",)
"""Folders whose tests share a deployment, which takes a minute to make."""

LONG_FIRST = (
    ALONE,
    *ONE_WORKER,
    "tests/infra/test_state_machine.py",
    "tests/e2e/local/",
    "tests/browser/",
    "tests/infra/",
    "tests/handlers/cloud/",
)


class LongFilesFirst(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """A queue of test files, and of folders whose files share an expensive fixture."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        if path == ALONE:
            return path
        return next((folder for folder in ONE_WORKER if path.startswith(folder)), path)

    def _assign_work_unit(self, node: WorkerController) -> None:
        self.workqueue.move_to_end(min(self.workqueue, key=_rank), last=False)
        super()._assign_work_unit(node)


def _rank(path: str) -> int:
    return next((place for place, prefix in enumerate(LONG_FIRST) if path.startswith(prefix)), len(LONG_FIRST))
