#!/usr/bin/env python3
"""Controls a manager with Python's standard library and the package websockets (pip install websockets, or Debian's python3-websockets).

    python3 control.py http://localhost:8130 USER PASSWORD PROCESS

Starts a process, types into it, prints its output, stops it, and prints its entries of the manager's log.
"""
import asyncio
import base64
import inspect
import itertools
import json
import sys
import urllib.request

import websockets


# websockets 14 has renamed the option.
HEADERS = "additional_headers" if "additional_headers" in inspect.signature(websockets.connect).parameters else "extra_headers"


class Manager:
    """One WebSocket connection: requests have a request_id, responses repeat it, all other frames go to `on_event`."""

    def __init__(self, socket, on_event):
        self.socket, self.on_event = socket, on_event
        self.answers, self.ids = {}, itertools.count(1)

    async def receive(self):
        async for text in self.socket:
            frame = json.loads(text)
            waiting = self.answers.pop(frame.get("request_id"), None)
            if waiting:
                waiting.set_result(frame)
            else:
                self.on_event(frame)

    async def ask(self, type, **fields):
        request_id = next(self.ids)
        self.answers[request_id] = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps({"type": type, "request_id": request_id, **fields}))
        answer = await asyncio.wait_for(self.answers[request_id], 10)
        if answer["type"] == "error" or answer.get("ok") is False:
            raise RuntimeError(f"{type}: {answer['message']}")
        return answer


async def main(url, user, password, name):
    credentials = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
    states, output = asyncio.Queue(), asyncio.Queue()

    def on_event(frame):
        if frame["type"] == "process_upsert" and frame["process"]["name"] == name:
            states.put_nowait(frame["process"]["state"])
        if frame["type"] == "process_output":
            output.put_nowait(frame["output"])

    async def until(queue, wanted):
        while True:
            item = await asyncio.wait_for(queue.get(), 10)
            print(repr(item))
            if wanted in item:
                return

    address = url.replace("http", "ws", 1) + "/ws"
    async with websockets.connect(address, max_size=None, **{HEADERS: {"Authorization": credentials}}) as socket:
        manager = Manager(socket, on_event)
        receiving = asyncio.create_task(manager.receive())
        snapshot = await manager.ask("get_snapshot")
        print(len(snapshot["processes"]), "processes on", snapshot["manager"]["host"])
        await manager.ask("subscribe_process_output", patterns=[name])
        await manager.ask("start_process", name=name)
        await until(states, "started")
        await manager.ask("send_stdin", name=name, text="hello\n")
        await until(output, "you typed hello")
        await manager.ask("stop_process", name=name)
        await until(states, "stopped")
        receiving.cancel()

    request = urllib.request.Request(f"{url}/mgr/log?raw&level=info", headers={"Authorization": credentials})
    with urllib.request.urlopen(request) as response:
        print("".join(line for line in response.read().decode().splitlines(True) if name in line), end="")


if len(sys.argv) != 5:
    sys.exit(__doc__.strip())
asyncio.run(main(*sys.argv[1:]))
