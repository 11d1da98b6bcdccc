"""The command line: `wavecrawl crawl | resume | export | compare | show | list | redrive | admin | serve`."""

import typer

from wavecrawl import __version__
from wavecrawl.cli import admin, cloud, compare, crawl, results, serve
from wavecrawl.cli.console import out

app = typer.Typer(
    name="wavecrawl",
    help="Crawl a whole website: every page, the graph between them, the orphans no link reaches.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("crawl")(crawl.crawl)
app.command("resume")(crawl.resume)
app.command("list")(results.list_crawls)
app.command("show")(results.show)
app.command("export")(results.export)
app.command("compare")(compare.compare)
app.command("redrive")(cloud.redrive)
app.command("serve")(serve.serve)
app.add_typer(admin.admin, name="admin")


def _version(asked: bool) -> None:  # noqa: FBT001 - typer's callback signature
    if asked:
        out.print(f"wavecrawl {__version__}")
        raise typer.Exit


@app.callback()
def root(
    *,
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Crawl a whole website: every page, the graph between them, the orphans no link reaches."""


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
