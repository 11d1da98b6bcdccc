"""`python -m wavecrawl`: the command line."""

from wavecrawl.cli.main import main

if __name__ == "__main__":
    main()
