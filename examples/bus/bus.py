#!/usr/bin/env python3
"""The bus with nothing but Python's standard library: what a NATS client says and hears on its socket.

    bus.py publish SUBJECT TEXT      one message
    bus.py listen SUBJECT [COUNT]    prints "subject text", for ever or so many; wildcards: a.*.c, a.>
    bus.py ask SUBJECT TEXT          one request, prints its answer

The address is MGR_BUS_URL, which every process of mgr has; outside of one it stands in bus.url of the state folder.
"""
import json
import os
import secrets
import socket
import sys
from urllib.parse import unquote, urlsplit


class Bus:
    def __init__(self, url):
        where = urlsplit(url)
        if where.scheme == "tls":
            raise SystemExit("this example speaks plain TCP only")
        self.socket = socket.create_connection((where.hostname, where.port or 4222), timeout=10)
        self.file = self.socket.makefile("rwb")
        verb, info = self.file.readline().split(b" ", 1)
        if verb != b"INFO" or json.loads(info)["proto"] < 1:
            raise SystemExit("that is no bus")
        options = {"verbose": False, "pedantic": False, "headers": True, "no_responders": True, "lang": "python", "version": "1", "name": "bus.py"}
        if where.password is not None:
            options |= {"user": unquote(where.username), "pass": unquote(where.password)}
        elif where.username is not None:
            options["auth_token"] = unquote(where.username)
        self.send(f"CONNECT {json.dumps(options)}\r\n".encode())
        self.flush()

    def send(self, *parts):
        for part in parts:
            self.file.write(part)

    def flush(self):
        """Returns once the server has taken everything; a refusal ends the program."""
        self.send(b"PING\r\n")
        self.file.flush()
        while self.read() != "PONG":
            pass

    def publish(self, subject, text, reply=""):
        data = text.encode()
        self.send(f"PUB {subject} {reply} {len(data)}\r\n".encode(), data, b"\r\n")

    def subscribe(self, subject):
        self.send(f"SUB {subject} 1\r\n".encode())
        self.flush()

    def read(self):
        """The next message as (subject, text), or "PONG"."""
        while True:
            line = self.file.readline()
            if line == b"":
                raise SystemExit("the connection ended")
            words = line.split()
            if words[0] == b"MSG":
                data = self.file.read(int(words[-1]) + 2)[:-2]
                return words[1].decode(), data.decode(errors="replace")
            if words[0] == b"HMSG":
                headers, data = self.file.read(int(words[-2])), self.file.read(int(words[-1]) - int(words[-2]) + 2)[:-2]
                if headers.startswith(b"NATS/1.0 503"):
                    raise SystemExit("nobody answers")
                return words[1].decode(), data.decode(errors="replace")
            if words[0] == b"PING":
                self.send(b"PONG\r\n")
                self.file.flush()
            elif words[0] == b"PONG":
                return "PONG"
            elif words[0] == b"-ERR":
                raise SystemExit(line.decode().strip())


def main(verb, subject, text=""):
    bus = Bus(os.environ["MGR_BUS_URL"])
    if verb == "publish":
        bus.publish(subject, text)
        bus.flush()
    elif verb == "listen":
        bus.subscribe(subject)
        bus.socket.settimeout(None)
        print("listening", flush=True)
        left = int(text or -1)
        while left != 0:
            print(*bus.read(), flush=True)
            left -= 1
    elif verb == "ask":
        inbox = f"_INBOX.{secrets.token_hex(11)}"
        bus.subscribe(inbox)
        bus.publish(subject, text, inbox)
        bus.file.flush()
        print(bus.read()[1])
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
