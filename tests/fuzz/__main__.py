"""Read mutated inputs: `python -m tests.fuzz --inputs 1000000 extract rules`. Without names, with all readers.

`--input NUMBER` reads one input of a reader again, in this process, and shows it.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic

from tests.fuzz.readers import READERS
from tests.fuzz.runs import Figures, Run, check_input, read_inputs

_INTERRUPTED = 130

FOLDER = Path("build") / "fuzz"


def main(argv: Sequence[str]) -> int:
    """Read the inputs that the command line names. Return 1 if one fails, 130 after Ctrl-C."""
    names = [reader.name for reader in READERS]
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"of {', '.join(names)}")
    parser.add_argument("--inputs", type=int, default=1_000_000, help="inputs of each reader")
    parser.add_argument("--seed", type=int, default=0, help="another seed makes other inputs")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--input", type=int, metavar="NUMBER", help="read this input again")
    options = parser.parse_args(argv)
    if unknown := sorted({*options.readers} - {*names}):
        parser.error(f"no reader is named {', '.join(unknown)}; choose from {', '.join(names)}")
    chosen = [reader for reader in READERS if reader.name in (options.readers or names)]
    failed = False
    for reader in chosen:
        run = Run(reader=reader, inputs=options.inputs, seed=options.seed, processes=options.processes, folder=FOLDER)
        if options.input is not None:
            sys.stdout.write(f"{reader.input(run.seed, options.input)!r}\n")
            check_input(run, options.input)
            continue
        for old in FOLDER.glob(f"{reader.name}-{run.seed}-*"):
            old.unlink()
        figures = read_inputs(run, _line_of(run), every=1 if sys.stderr.isatty() else 60)
        failed = failed or bool(figures.failures)
        _report(run, figures)
        if figures.interrupted:
            return _INTERRUPTED
    return int(failed)


def _line_of(run: Run) -> Callable[[Figures], None]:
    """Return a function that writes a progress line."""
    started = monotonic()

    def write(figures: Figures) -> None:
        speed = figures.inputs / max(monotonic() - started, 0.001)
        left = int((run.inputs - figures.inputs) / speed) if speed else 0
        line = (
            f"{run.reader.name}: {figures.inputs:,} of {run.inputs:,} | {speed:,.0f}/s | "
            f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02} left | {len(figures.failures)} failed"
        )
        sys.stderr.write(
            f"\r{line[: shutil.get_terminal_size().columns - 1]}\033[K" if sys.stderr.isatty() else f"{line}\n"
        )
        sys.stderr.flush()

    return write


def _report(run: Run, figures: Figures) -> None:
    end = "\r\033[K" if sys.stderr.isatty() else ""
    sys.stderr.write(end)
    sys.stderr.flush()
    share = figures.found / max(figures.inputs, 1)
    sys.stdout.write(
        f"{run.reader.name}: {figures.inputs:,} inputs with seed {run.seed}, {share:.0%} accepted or with a result; "
        f"{figures.cpu_seconds:,.0f} CPU s, slowest {figures.slowest:.2f} s (input {figures.slowest_number}); "
        f"{figures.memory_mb} MB; {len(figures.failures)} failed\n"
    )
    for path in figures.failures[:20]:
        why = path.with_name(f"{path.name}.txt").read_text(encoding="utf-8").strip().splitlines()[-1]
        number = path.name.rpartition("-")[2]
        again = f"python -m tests.fuzz {run.reader.name} --seed {run.seed} --input {number}"
        sys.stdout.write(f"  {path}: {why}\n    again: {again}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
