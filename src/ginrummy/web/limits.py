"""Sizes of requests, and headers that keep the page to itself."""

from contextlib import suppress

from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 512 * 1024
"""Of a request's body: a record of a long game has a tenth of it."""

POLICY = "; ".join(
    (
        "default-src 'self'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "style-src 'self' 'unsafe-inline'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "connect-src 'self' ws: wss:",
        "frame-ancestors 'self'",
        "base-uri 'self'",
        "form-action 'self'",
    )
)
"""A browser refuses what the page would load from another host. NiceGUI needs unsafe-eval for templates."""


class TooLarge(Exception):
    """The body of a request is longer than allowed."""


class Limits:
    """Middleware that refuses long bodies and sends the headers of safety."""

    def __init__(self, app: ASGIApp, most: int = MOST_BYTES) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count the bytes of a body as they come."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, long = False, False
        count = 0

        async def receiving() -> Message:
            nonlocal count, long
            message = await receive()
            count += len(message.get("body", b""))
            if count > self.most:
                long = True
                raise TooLarge
            return message

        async def sending(message: Message) -> None:
            nonlocal begun
            if long and not begun:
                return  # the application's own words about it
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                headers["content-security-policy"] = POLICY
                headers["x-content-type-options"] = "nosniff"
                headers["referrer-policy"] = "same-origin"
                if str(scope["path"]).startswith("/api"):
                    headers["cache-control"] = "no-store"
            await send(message)

        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > self.most:
            await self._refuse(scope, receive, sending)
            return
        with suppress(TooLarge):
            await self.app(scope, receiving, sending)
        if long and not begun:
            long = False
            await self._refuse(scope, receive, sending)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        error = f"expected at most {self.most} bytes, got more"
        await JSONResponse({"error": error}, status_code=413)(scope, receive, send)
