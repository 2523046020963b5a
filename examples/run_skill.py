#!/usr/bin/python3
"""Runs a skill over a WebSocket: what it prints goes to standard error as it is printed, its output to standard output.

Needs python3-aiohttp. Usage: CAISSON_URL=http://127.0.0.1:8320 CAISSON_API_KEY=… examples/run_skill.py SKILL[@VERSION] [INPUT-FILE]
"""
import asyncio
import base64
import json
import os
import sys

import aiohttp

URL = os.environ.get("CAISSON_URL", "http://127.0.0.1:8320")
HEADERS = {"Authorization": "Bearer " + os.environ.get("CAISSON_API_KEY", "")}


def show(frame):
    data = frame["data"].encode()
    sys.stderr.buffer.write(base64.b64decode(data) if frame.get("encoding") == "base64" else data)
    sys.stderr.flush()


async def run(session, request):
    """The event of its end, which has the output and the names of the files."""
    async with session.ws_connect(URL + "/v1/connect") as socket:
        await socket.send_json({"type": "run", "ref": "mine", **request})
        async for message in socket:
            frame = json.loads(message.data)
            if frame["kind"] == "output":
                show(frame)
            elif frame["kind"] == "error":
                sys.exit(frame["message"])
            elif frame["kind"] == "exit":
                return frame
    sys.exit("the connection broke; see caisson ps")


async def main():
    name, _, version = sys.argv[1].partition("@")
    request = {"skill": name, "version": version or "latest"}
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            request["input"] = json.load(file)
    async with aiohttp.ClientSession(headers=HEADERS) as session:
        end = await run(session, request)
        if "output_bytes" in end:    # a large one has an address of its own
            async with session.get(f"{URL}/v1/executions/{end['execution_id']}/output") as answer:
                end["output"] = await answer.json()
    print(json.dumps(end.get("output")))
    for path in end.get("files_list", []):
        print("file:", path, file=sys.stderr)
    if end["status"] != "success":
        sys.exit(end["error"])


if not 2 <= len(sys.argv) <= 3 or sys.argv[1].startswith("-"):
    sys.exit(__doc__.strip())
if "CAISSON_API_KEY" not in os.environ:
    sys.exit("set CAISSON_API_KEY to a key of the server's: `caisson key create --tenant NAME` makes one")
try:
    asyncio.run(main())
except (OSError, ValueError, aiohttp.ClientError) as failure:
    sys.exit(f"{type(failure).__name__}: {failure}")
