#!/usr/bin/env python3
"""A minimal NATS client with Python's standard library.

    bus.py publish SUBJECT TEXT      publishes one message
    bus.py listen SUBJECT [COUNT]    prints COUNT messages (default: no limit) as "subject text"; wildcards: a.*.c, a.>
    bus.py ask SUBJECT TEXT          sends one request, prints the response

The address is in MGR_BUS_URL, which mgr sets for every process. Other programs find it in bus.url in the state folder.
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
            raise SystemExit("this is not a NATS server")
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
        """Returns when the server has processed everything; an error ends the program."""
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
                raise SystemExit("the server closed the connection")
            words = line.split()
            if words[0] == b"MSG":
                data = self.file.read(int(words[-1]) + 2)[:-2]
                return words[1].decode(), data.decode(errors="replace")
            if words[0] == b"HMSG":
                headers, data = self.file.read(int(words[-2])), self.file.read(int(words[-1]) - int(words[-2]) + 2)[:-2]
                if headers.startswith(b"NATS/1.0 503"):
                    raise SystemExit("no responders")
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
