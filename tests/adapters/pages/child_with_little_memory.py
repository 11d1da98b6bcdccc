"""The child process with less memory than a page of 20 MB needs."""

import os
import resource
import sys

from wavecrawl.adapters.pages import child

resource.setrlimit(resource.RLIMIT_AS, (250 * 2**20, 250 * 2**20))
child.main(sys.stdin.buffer, os.fdopen(os.dup(1), "wb"))
