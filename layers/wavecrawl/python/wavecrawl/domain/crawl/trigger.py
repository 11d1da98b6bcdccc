"""What starts crawls."""

from enum import StrEnum


class Trigger(StrEnum):
    """What started a crawl.

    - `api`: a request to the API
    - `dashboard`: a person, in the dashboard. Browsers say so over HTTPS and on the same machine, otherwise it is `api`
    - `sign_up`: the creation of the tenant with its website
    - `schedule`: the schedule of the site
    - `webhook`: a signed message
    - `event`: an event `crawl.requested`
    - `command_line`: the command `wavecrawl crawl`
    - `library`: a program that uses the package
    """

    API = "api"
    DASHBOARD = "dashboard"
    SIGN_UP = "sign_up"
    SCHEDULE = "schedule"
    WEBHOOK = "webhook"
    EVENT = "event"
    COMMAND_LINE = "command_line"
    LIBRARY = "library"
