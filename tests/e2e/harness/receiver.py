"""Who webhooks are sent to: a small HTTP server on loopback, run by aiohttp in a thread of its own."""

import asyncio
import base64
import hashlib
import hmac
import json
import threading
from dataclasses import dataclass

from aiohttp import web


@dataclass
class Delivery:
    path: str
    headers: dict
    body: bytes

    @property
    def id(self):
        return self.headers["webhook-id"]

    @property
    def value(self):
        return json.loads(self.body)

    def is_signed_by(self, secret):
        """By the Standard Webhooks specification."""
        content = f"{self.id}.{self.headers['webhook-timestamp']}.".encode() + self.body
        want = base64.b64encode(hmac.new(secret.encode(), content, hashlib.sha256).digest()).decode()
        return self.headers["webhook-signature"] == "v1," + want


class Receiver:
    """Paths: /ok answers 200; /twice 500 two times, then 200; /moved 302 to `location`; /slow nothing until close(); /large 200 with
    a body of 300 KB."""

    def __init__(self, port=0):
        self.deliveries, self.location = [], None
        self.loop = asyncio.new_event_loop()
        self.closing = asyncio.Event()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.port = self.do(self.listen(port))

    def do(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(20)

    async def listen(self, port):
        app = web.Application()
        app.router.add_route("*", "/{name}", self.answer)
        self.runner = web.AppRunner(app, access_log=None)
        await self.runner.setup()
        site = web.TCPSite(self.runner, "127.0.0.1", port, shutdown_timeout=0.1)
        await site.start()
        return site._server.sockets[0].getsockname()[1]

    async def answer(self, request):
        body = await request.read()
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.deliveries.append(Delivery(request.path, headers, body))
        name = request.match_info["name"]
        if name == "slow":
            await self.closing.wait()
        if name == "twice" and len(self.to("/twice")) < 3:
            return web.Response(status=500)
        if name == "moved":
            return web.Response(status=302, headers={"Location": self.location})
        return web.Response(text="x" * 300_000 if name == "large" else "thanks")

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"

    def to(self, path):
        return [each for each in self.deliveries if each.path == path]

    async def end(self):
        self.closing.set()
        await self.runner.cleanup()

    def close(self):
        self.do(self.end())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()
