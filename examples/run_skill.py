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
HEADERS = {"Authorization": "Bearer " + os.environ["CAISSON_API_KEY"]}


def show(frame):
    data = frame["data"].encode()
    sys.stderr.buffer.write(base64.b64decode(data) if frame.get("encoding") == "base64" else data)
    sys.stderr.flush()


async def run(session, request):
    """The id of the execution, once it has ended."""
    async with session.ws_connect(URL + "/v1/connect") as socket:
        await socket.send_json({"type": "run", "ref": "mine", **request})
        async for message in socket:
            frame = json.loads(message.data)
            if frame["kind"] == "output":
                show(frame)
            elif frame["kind"] == "error":
                sys.exit(frame["message"])
            elif frame["kind"] == "exit":
                return frame["execution_id"]
    sys.exit("the connection broke; see caisson ps")


async def main():
    name, _, version = sys.argv[1].partition("@")
    request = {"skill": name, "version": version or "latest"}
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            request["input"] = json.load(file)
    async with aiohttp.ClientSession(headers=HEADERS) as session:
        execution = await run(session, request)
        async with session.get(f"{URL}/v1/executions/{execution}") as answer:
            record = await answer.json()
    print(json.dumps(record.get("output")))
    for path in record.get("files_list", []):
        print("file:", path, file=sys.stderr)
    if record["status"] != "success":
        sys.exit(record["error"])


asyncio.run(main())
