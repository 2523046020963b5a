#!/usr/bin/python3
"""Starts a program over a WebSocket, shows what it prints as it is printed, drops the connection once on the way and resumes.

Needs python3-aiohttp. Usage: CAISSON_URL=http://127.0.0.1:8320 CAISSON_API_KEY=… examples/watch.py
"""
import asyncio
import base64
import json
import os

import aiohttp

URL = os.environ.get("CAISSON_URL", "http://127.0.0.1:8320")
HEADERS = {"Authorization": "Bearer " + os.environ["CAISSON_API_KEY"]}
PROGRAM = "import time\nfor i in range(6):\n    print('step', i, flush=True)\n    time.sleep(0.3)\n"


def show(frame):
    if frame["kind"] == "output":
        data = frame["data"].encode()
        print((base64.b64decode(data) if frame.get("encoding") == "base64" else data).decode(errors="replace"), end="", flush=True)
    elif frame["kind"] == "exit":
        print("ended:", frame["status"], frame["verdict"])


async def main():
    async with aiohttp.ClientSession(headers=HEADERS) as session:
        async with session.ws_connect(URL + "/v1/connect") as socket:
            await socket.send_json({"type": "run", "ref": "mine", "language": "python", "code": PROGRAM})
            async for message in socket:
                frame = json.loads(message.data)
                show(frame)
                if frame["kind"] == "error" or frame.get("data", "").startswith("step 2"):
                    break
        print("-- the connection is gone; the program goes on --")
        stream = f"{URL}/v1/executions/{frame['execution_id']}/stream?after={frame['cursor']}"
        async with session.ws_connect(stream) as socket:
            async for message in socket:
                if message.type == aiohttp.WSMsgType.TEXT:
                    show(json.loads(message.data))


asyncio.run(main())
