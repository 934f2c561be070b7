"""Who asks: an unguessable secret in a cookie, or in the header of a program.

The cookie cannot be read by scripts and is not sent by other sites. The store knows only its digest.
"""

import hashlib
import re
import secrets
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "ginrummy_visitor"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
_YEAR = 365 * 24 * 3600


def digest(token: str) -> str:
    """How the store names the holder of a secret."""
    return hashlib.sha256(token.encode()).hexdigest()


def visitor_of(connection: HTTPConnection) -> str:
    """The visitor behind a request, by its digest."""
    visitor: str = connection.scope["state"]["visitor"]
    return visitor


class Visitors:
    """Middleware that knows every visitor: without a secret, a request gets a new one."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Find the visitor, and set the cookie of a new one."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        token = _token(scope)
        fresh = token is None
        token = token or secrets.token_urlsafe(32)
        scope.setdefault("state", {})["visitor"] = digest(token)

        async def sending(message: Message) -> None:
            if fresh and message["type"] == "http.response.start":
                cookie = f"{COOKIE}={token}; Path=/; HttpOnly; SameSite=Lax; Max-Age={_YEAR}"
                MutableHeaders(scope=message).append("set-cookie", cookie)
            await send(message)

        await self.app(scope, receive, sending if _sets_cookie(scope) else send)


def _sets_cookie(scope: Scope) -> bool:
    """Files that are the same for everybody carry no cookie, so that caches may keep them."""
    return not str(scope["path"]).startswith(("/static/", "/_nicegui/"))


def _token(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        text = value.decode("latin-1")
        if name == b"authorization" and text.startswith("Bearer "):
            return _checked(text[len("Bearer ") :].strip())
    for name, value in scope["headers"]:
        if name == b"cookie":
            try:
                morsel = SimpleCookie(value.decode("latin-1")).get(COOKIE)
            except CookieError:
                continue
            if morsel is not None:
                return _checked(morsel.value)
    return None


def _checked(token: str) -> str | None:
    return token if _TOKEN.fullmatch(token) else None
