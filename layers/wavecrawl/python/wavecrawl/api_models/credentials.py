"""Credentials of sites: requests and responses."""

from pydantic import Field

from wavecrawl.api_models.types import RequestModel, ResponseModel
from wavecrawl.domain.sites.certificate_text import LONGEST


class BasicAuth(RequestModel):
    """A user and a password, sent by HTTP basic authentication (RFC 7617)."""

    username: str = Field(min_length=1, description="Name of the user, without `:`.", examples=["crawler"])
    password: str = Field(default="", description="Password.", examples=["not-a-real-password"])


class SiteSecrets(RequestModel):
    """Credentials of a site. They are sent to the hosts of the site only, and no response contains their values."""

    headers: dict[str, str] = Field(
        default={},
        description="Request headers by name. Not allowed: headers that delimit the message or concern the connection, "
        "such as `Host`, `Content-Length` and `Connection`; that change what is fetched, such as `Range`, `If-*` and "
        "`Accept-Encoding`; and `User-Agent`, for which there is the setting `user_agent_suffix`.",
        examples=[{"X-Staging-Key": "not-a-real-key"}],
    )
    cookies: dict[str, str] = Field(
        default={}, description="Cookies by name.", examples=[{"session": "not-a-real-session"}]
    )
    basic_auth: BasicAuth | None = Field(default=None, description="User and password. `null`: none.")
    client_certificate: str = Field(
        default="",
        max_length=LONGEST,
        description="Client certificate for TLS, as PEM text: the certificate, those that lead to its authority, and "
        "the private key without a passphrase.",
    )


class SiteCredentials(ResponseModel):
    """Which credentials a site has."""

    headers: list[str] = Field(description="Names of the headers.")
    cookies: list[str] = Field(description="Names of the cookies.")
    basic_auth: bool = Field(description="Whether a user and a password are set.")
    client_certificate: bool = Field(description="Whether a client certificate is set.")
