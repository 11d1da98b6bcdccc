"""The definition of the state machine, from infra/state_machine/crawl.asl.json.

`python -m infra.definition FILE` writes the definition with the default settings, for validators.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from infra.config import Config

SOURCE: Final = Path(__file__).resolve().parent / "state_machine" / "crawl.asl.json"

STEPS: Final = {
    "OpenCrawl": "open_crawl",
    "RunWave": "run_wave",
    "ReadSitemaps": "read_sitemaps",
    "FinishCrawl": "finish_crawl",
    "FailCrawl": "fail_crawl",
    "Notify": "notify",
}
"""The functions in the definition, by the name of their substitution."""


def definition(config: Config) -> str:
    """Return the definition with the deployment's numbers; CloudFormation substitutes the resources.

    In the file, numbers are strings such as "${WaveTimeout}", so that it is valid JSON.
    """
    text = SOURCE.read_text(encoding="utf-8")
    numbers = {
        "WaveTimeout": config.wave_timeout,
        "MaxResumes": config.max_resumes,
        "MaxWaves": config.max_waves_per_execution,
    }
    for name, value in numbers.items():
        text = text.replace(f'"${{{name}}}"', str(value)).replace(f"${{{name}}}", str(value))
    return json.dumps(json.loads(text), indent=1, ensure_ascii=False)


def substituted(text: str, substitutions: Mapping[str, str]) -> str:
    """Return a definition with CloudFormation's substitutions applied."""
    for name, value in substitutions.items():
        text = text.replace(f"${{{name}}}", value)
    return text


def example() -> str:
    """Return the definition with the default settings and example ARNs."""
    arns = {step: f"arn:aws:lambda:us-east-1:000000000000:function:{name}" for step, name in STEPS.items()}
    return substituted(definition(Config()), arns)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(example(), encoding="utf-8")
