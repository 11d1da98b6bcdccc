"""The CDK app, for `cdk synth` and `cdk deploy` in this folder.

`python infra/app.py FOLDER` writes the cloud assembly without the CDK command line; the context then comes as JSON from
the environment variable CDK_CONTEXT_JSON.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

# In a script, this folder is first in the path, and its `constructs` would hide the library of that name.
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks
from layers.build import LayerBuildError

from infra.config import Config, ConfigError
from infra.stack import WavecrawlStack


def build_app(context: Mapping[str, object] | None = None, *, outdir: str | None = None) -> App:
    """Return the app for a context; values of the CDK command line (cdk.json, -c) override it.

    Raise ConfigError with all invalid values.
    """
    app = App(context=dict(context or {}), outdir=outdir, analytics_reporting=False)
    config = Config.from_context(_context(app))
    WavecrawlStack(app, config.stack_name, config=config)
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    return app


def _context(app: App) -> dict[str, object]:
    return {name: value for name in Config.names() if (value := app.node.try_get_context(name)) is not None}


def main(arguments: Sequence[str]) -> int:
    """Write the cloud assembly. Return 1 with a message if a setting is invalid or a layer cannot be built."""
    try:
        build_app(outdir=arguments[0] if arguments else None).synth()
    except (ConfigError, LayerBuildError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
