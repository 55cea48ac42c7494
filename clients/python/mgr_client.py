"""Topics, services and parameters on the bus of mgr: one file, Python 3.9 or later, standard library only.

Copy this file next to your program. docs/clients.md of mgr is the specification.

    import asyncio
    from mgr_client import connect_client

    async def main():
        client = await connect_client("arm/controller")        # the address is in MGR_BUS_URL
        gain = client.parameters({"gain": {"type": "float", "value": 0.5, "unit": "1/s", "min": 0, "max": 10}})["gain"]
        client.provide("arm/move_to", {"name": "demo.MoveTo", "endpoints": {"call": {}}}, lambda request, endpoint: {"ok": True})
        state = await client.publisher("arm/state", "float64[] position")   # a ROS 2 message (CDR); a dict is a JSON Schema
        async for message in client.subscribe("arm/target"):
            state.publish({"position": [gain.value * x for x in message.value["position"]]})

    asyncio.run(main())

Everything runs in the event loop that `connect_client` was called in, and must be called from it.
"""

from __future__ import annotations

import array
import asyncio
import base64
import inspect
import json
import math
import os
import re
import secrets
import socket
import struct
import sys
import time
from collections import deque
from datetime import datetime, timezone
from typing import Any, AsyncIterator, Awaitable, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union
from urllib.parse import unquote, urlsplit

__all__ = ["connect_client", "Client", "Message", "MgrError", "Parameter", "Publisher", "ServiceError", "Subscription"]

LIBRARY_VERSION = 1
MAX_NAME_BYTES = 255
# A subject has at most 64 tokens, two of which belong to no part of a name.
MAX_NAME_PARTS = 62
MAX_CLIENT_NAME_LENGTH = 128
MAX_UNSENT_BYTES = 8 * 1024 * 1024
MAX_WAITING_MESSAGES = 1_000
MAX_PRIORITY = 7
MAX_RELIABLE_BYTES = 4 * 1024 * 1024
MAX_RUNNING_REQUESTS = 1_000
MAX_TEXT_LENGTH = 4_096
MAX_LINE_BYTES = 64 * 1024
MAX_SAFE_INTEGER = 2**53 - 1
# Seconds.
CONNECT_TIMEOUT = 5.0
PING_INTERVAL = 2.0
MIN_PAUSE = 0.1
MAX_PAUSE = 2.0
REGISTER_TIMEOUT = 10.0
TAKEN_RETRY = 2.0
SILENT_RETRY = 5.0
INFO_TIMEOUT = 10.0
INFO_RETRY = 2.0
CHANGED_INTERVAL = 0.02
UNCHANGED_INTERVAL = 0.1
QUIET_TIME = 10.0

Log = Callable[[str], None]


class ProtobufDefinition(NamedTuple):
    """The definition of a topic with messages of Protocol Buffers, which are published and received as bytes."""

    # A FileDescriptorSet with the files that it imports: protoc --include_imports --descriptor_set_out=FILE
    descriptors: bytes
    # Full name of the message, for example demo.ArmState.
    message: str


# A string is a ROS 2 message definition (CDR) or the name of a well-known message such as foxglove.PoseInFrame (JSON), a dict a JSON Schema
# (JSON), None are bytes.
Definition = Union[str, Mapping[str, Any], ProtobufDefinition, None]
Handler = Callable[[Any, str], Union[Any, Awaitable[Any]]]


class MgrError(Exception):
    """`code` is for programs: bad_field, conflict, not_found, timeout, host_unavailable, busy, too_large, not_running."""

    def __init__(self, code: str, message: str):
        super().__init__(message)
        self.code = code


class ServiceError(MgrError):
    """An error that a service answers with. Raise it in a handler to choose the code: 400 for a request that is not accepted."""

    def __init__(self, service_code: int, message: str):
        super().__init__("bad_field" if service_code == 400 else "conflict", message)
        self.service_code = service_code


# Subjects --------------------------------------------------------------------------------------------------------


def name_problem(name: str) -> Optional[str]:
    """Why this cannot name a topic, service or parameter, as the end of a sentence; None if it can."""
    if name == "":
        return "is empty"
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        return "is not valid Unicode"
    if size > MAX_NAME_BYTES:
        return f"has {size} bytes of UTF-8; at most {MAX_NAME_BYTES} are allowed"
    parts = name.split("/")
    if "" in parts:
        return "has an empty part (check for a leading, trailing or double '/')"
    if len(parts) > MAX_NAME_PARTS:
        return f"has {len(parts)} parts between its '/'; at most {MAX_NAME_PARTS} are allowed, because a subject has at most 64 tokens"
    return None


_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


def subject_tokens(name: str) -> str:
    """`arm/joint 1` -> `arm.joint%201`."""
    problem = name_problem(name)
    if problem is not None:
        raise MgrError("bad_field", f"the name {name[:80]!r} {problem}")
    return "".join("." if byte == 0x2F else chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in name.encode())


def subject_of_topic(name: str) -> str:
    """`arm/state` -> `topic.arm.state`."""
    return "topic." + subject_tokens(name)


def nats_name(name: str) -> str:
    """NATS allows fewer characters in a service's name; the metadata has the full one."""
    return "".join(chr(byte) if byte in _PLAIN else "_" for byte in name.encode())


# Encodings -------------------------------------------------------------------------------------------------------


def json_text(value: Any) -> str:
    """JSON with non-finite numbers and large integers as text, bytes as base64. Arrays of numpy work, too."""
    return json.dumps(_json_value(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _json_value(value: Any) -> Any:
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return value if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return {str(key): _json_value(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, array.array, deque)):
        return [_json_value(each) for each in value]
    if hasattr(value, "tolist"):
        return _json_value(value.tolist())
    raise MgrError("bad_field", f"a value of type {type(value).__name__} cannot be sent as JSON")


_FORMATS = {
    "bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
    "int64": "q", "uint64": "Q", "float32": "f", "float64": "d",
}  # fmt: skip
_PRIMITIVES = {name: struct.Struct("<" + code) for name, code in _FORMATS.items()}
_ALIASES = {"byte": "uint8", "char": "uint8"}
_FIELD = re.compile(
    r"^(?P<type>[A-Za-z][\w/]*)(?:<=\d+)?(?P<array>\[(?:<=)?\d*\])?\s+(?P<name>[A-Za-z]\w*)\s*(?P<constant>=)?\s*(?P<default>.*)$"
)
_TIME = ["builtin_interfaces/Time", "builtin_interfaces/msg/Time", "builtin_interfaces/Duration", "builtin_interfaces/msg/Duration"]


class _Field(NamedTuple):
    name: str
    type: str
    is_array: bool
    length: Optional[int]
    most: Optional[int]
    default: Any


def _parse_fields(text: str) -> List[_Field]:
    fields = []
    for line in text.splitlines():
        line = re.sub(r"#.*", "", line).strip() if "'" not in line and '"' not in line else line.strip()
        if line == "" or line.startswith("#"):
            continue
        match = _FIELD.match(line)
        if match is None:
            raise MgrError("bad_field", f"the message definition is not a ROS 2 message: {line!r}")
        if match["constant"]:
            continue
        kind = _ALIASES.get(match["type"], match["type"])
        if kind == "wstring":
            raise MgrError("bad_field", "the type wstring is not supported")
        size = re.sub(r"\D", "", match["array"] or "")
        is_bounded = "<=" in (match["array"] or "")
        fields.append(
            _Field(
                match["name"], kind, match["array"] is not None,
                int(size) if size and not is_bounded else None, int(size) if is_bounded else None, _default(match["default"]),
            )
        )  # fmt: skip
    return fields


def _default(text: str) -> Any:
    if text == "":
        return None
    try:
        return json.loads(text.replace("'", '"').replace("True", "true").replace("False", "false"))
    except ValueError:
        return text


class CdrCodec:
    """Values of a ROS 2 message <-> XCDR1, little-endian."""

    encoding = "cdr"

    def __init__(self, definition: str):
        first, *others = re.split(r"^={80}\s*$", definition, flags=re.MULTILINE)
        self._types = {}
        for other in others:
            header, _, body = other.strip().partition("\n")
            if not header.startswith("MSG: "):
                raise MgrError("bad_field", "the message definition is not a ROS 2 message: a line 'MSG: package/Name' is missing")
            self._types[header[5:].strip()] = _parse_fields(body)
        self._root = _parse_fields(first)
        self._check(self._root)
        for fields in self._types.values():
            self._check(fields)

    def encode(self, value: Any) -> bytes:
        out = bytearray()
        self._write_struct(out, self._root, value, "")
        return b"\x00\x01\x00\x00" + bytes(out)

    def decode(self, data: bytes) -> Any:
        if bytes(data[:2]) != b"\x00\x01":
            raise MgrError("bad_field", "the message is not little-endian CDR")
        try:
            return self._read_struct(memoryview(data)[4:], 0, self._root)[0]
        except (struct.error, UnicodeDecodeError, IndexError) as error:
            raise MgrError("bad_field", f"the message does not fit the definition of its topic: {error}") from error

    def _check(self, fields: List[_Field]) -> None:
        for field in fields:
            if field.type not in _PRIMITIVES and field.type not in ("string", "time", "duration"):
                if field.type not in _TIME:
                    self._fields_of(field.type)

    def _fields_of(self, kind: str) -> List[_Field]:
        for name, fields in self._types.items():
            if name == kind or name.replace("/msg/", "/") == kind.replace("/msg/", "/") or name.endswith("/" + kind):
                return fields
        raise MgrError("bad_field", f"the message definition does not say what {kind} is")

    def _write_struct(self, out: bytearray, fields: List[_Field], value: Any, path: str) -> None:
        if not isinstance(value, Mapping):
            raise MgrError("bad_field", f"{path or 'the message'} must be an object")
        for field in fields:
            at = f"{path}.{field.name}" if path else field.name
            given = value.get(field.name)
            given = field.default if given is None else given
            if field.is_array:
                self._write_array(out, field, given, at)
            else:
                self._write_value(out, field.type, given, at)

    def _write_array(self, out: bytearray, field: _Field, value: Any, path: str) -> None:
        value = [] if value is None else value
        if isinstance(value, (str, Mapping)) or not hasattr(value, "__len__"):
            raise MgrError("bad_field", f"{path} must be a list")
        length = (field.length or 0) if len(value) == 0 else len(value)
        if field.length is not None and length != field.length:
            raise MgrError("bad_field", f"{path} must be a list of {field.length} elements")
        if field.most is not None and length > field.most:
            raise MgrError("bad_field", f"{path} must be a list of at most {field.most} elements")
        if field.length is None:
            self._write_value(out, "uint32", length, path)
        if field.type == "uint8" and isinstance(value, (bytes, bytearray)) and len(value) == length:
            out.extend(value)
            return
        for index in range(length):
            self._write_value(out, field.type, value[index] if len(value) > 0 else None, f"{path}[{index}]")

    def _write_value(self, out: bytearray, kind: str, value: Any, path: str) -> None:
        primitive = _PRIMITIVES.get(kind)
        if primitive is not None:
            out.extend(b"\0" * (-len(out) % primitive.size))
            try:
                if kind == "bool" and value not in (None, True, False):
                    raise ValueError
                number = 0 if value is None else int(value) if kind.endswith("int64") and isinstance(value, str) else value
                out.extend(primitive.pack(number))
            except (struct.error, OverflowError, TypeError, ValueError) as error:
                expected = "true or false" if kind == "bool" else f"a number of type {kind}"
                raise MgrError("bad_field", f"{path} must be {expected}") from error
        elif kind == "string":
            if value is not None and not isinstance(value, str):
                raise MgrError("bad_field", f"{path} must be a string")
            text = (value or "").encode() + b"\0"
            self._write_value(out, "uint32", len(text), path)
            out.extend(text)
        elif kind in ("time", "duration") or kind in _TIME:
            parts = value or {}
            self._write_value(out, "int32", parts.get("sec"), f"{path}.sec")
            self._write_value(out, "uint32", parts.get("nanosec"), f"{path}.nanosec")
        else:
            self._write_struct(out, self._fields_of(kind), {} if value is None else value, path)

    def _read_struct(self, data: memoryview, at: int, fields: List[_Field]) -> Tuple[Dict[str, Any], int]:
        value = {}
        for field in fields:
            value[field.name], at = self._read_array(data, at, field) if field.is_array else self._read_value(data, at, field.type)
        return value, at

    def _read_array(self, data: memoryview, at: int, field: _Field) -> Tuple[Any, int]:
        length = field.length
        if length is None:
            length, at = self._read_value(data, at, "uint32")
        if length > len(data):
            raise struct.error(f"{field.name} has {length} elements")
        primitive = _PRIMITIVES.get(field.type)
        if primitive is not None and length > 0:
            at += -at % primitive.size
            end = at + length * primitive.size
            if end > len(data):
                raise struct.error(f"{field.name} has {length} elements")
            if field.type == "uint8":
                return bytes(data[at:end]), end
            return list(struct.unpack_from(f"<{length}{_FORMATS[field.type]}", data, at)), end
        items = []
        for _ in range(length):
            item, at = self._read_value(data, at, field.type)
            items.append(item)
        return b"" if field.type == "uint8" else items, at

    def _read_value(self, data: memoryview, at: int, kind: str) -> Tuple[Any, int]:
        primitive = _PRIMITIVES.get(kind)
        if primitive is not None:
            at += -at % primitive.size
            return primitive.unpack_from(data, at)[0], at + primitive.size
        if kind == "string":
            length, at = self._read_value(data, at, "uint32")
            if at + length > len(data):
                raise struct.error(f"a string of {length} bytes")
            return str(data[at : at + max(length - 1, 0)], "utf-8"), at + length
        if kind in ("time", "duration") or kind in _TIME:
            sec, at = self._read_value(data, at, "int32")
            nanosec, at = self._read_value(data, at, "uint32")
            return {"sec": sec, "nanosec": nanosec}, at
        return self._read_struct(data, at, self._fields_of(kind))


class JsonCodec:
    encoding = "json"

    def encode(self, value: Any) -> bytes:
        return json_text(value).encode()

    def decode(self, data: bytes) -> Any:
        try:
            return json.loads(data)
        except ValueError as error:
            raise MgrError("bad_field", "the message is not JSON, although its topic says so") from error


class RawCodec:
    encoding = "raw"

    def encode(self, value: Any) -> bytes:
        if isinstance(value, (bytes, bytearray, memoryview)):
            return bytes(value)
        raise MgrError("bad_field", "a topic without a definition carries bytes: publish bytes, or give the publisher a definition")

    def decode(self, data: bytes) -> Any:
        return data


class ProtobufCodec(RawCodec):
    encoding = "protobuf"


Codec = Union[CdrCodec, JsonCodec, RawCodec]


def _is_well_known(definition: Definition) -> bool:
    return isinstance(definition, str) and re.fullmatch(r"foxglove\.\w{1,100}", definition) is not None


def _codec(definition: Definition) -> Codec:
    if definition is None:
        return RawCodec()
    if isinstance(definition, ProtobufDefinition):
        return ProtobufCodec()
    if isinstance(definition, str) and not _is_well_known(definition):
        return CdrCodec(definition)
    return JsonCodec()


def _text_and_name(definition: Definition) -> Tuple[str, str]:
    """The text of a definition, and the name that it has itself. The broker knows the text of a well-known message."""
    if definition is None:
        return "", ""
    if isinstance(definition, ProtobufDefinition):
        return base64.b64encode(definition.descriptors).decode(), definition.message
    if isinstance(definition, str):
        return ("", definition) if _is_well_known(definition) else (definition, "")
    return json_text(definition), str(definition.get("title", ""))


# The connection --------------------------------------------------------------------------------------------------


class _Msg(NamedTuple):
    subject: str
    reply: str
    data: bytes
    headers: Dict[str, str]
    status: int


class _Subscription:
    def __init__(self, subject: str, queue: str, callback: Callable[[_Msg], Any]):
        self.subject = subject
        self.queue = queue
        self.callback = callback


_REFUSED_PUBLISH = re.compile(r'Permissions Violation for Publish to "(\S+)"', re.IGNORECASE)


class _Nats(asyncio.Protocol):
    """The NATS protocol over TCP: connects again for ever. What is published while it is not connected is refused."""

    def __init__(self, url: str, name: str, log: Log):
        self._where = urlsplit(url)
        if self._where.scheme not in ("nats", "") or not self._where.hostname:
            raise MgrError("bad_field", "the address of the bus must be nats://TOKEN@HOST:PORT (plain TCP)")
        self._name = name
        self._log = log
        self._subscriptions: Dict[int, _Subscription] = {}
        self._next_sid = 1
        self._transport: Optional[asyncio.Transport] = None
        self._buffer = b""
        self._pongs: deque[asyncio.Future[None]] = deque()
        self._lost: Optional[asyncio.Future[None]] = None
        self._info: Dict[str, Any] = {}
        self._got_info: Optional[asyncio.Future[None]] = None
        self._inbox = f"_INBOX.{secrets.token_hex(12)}."
        self._waiting: Dict[str, asyncio.Future[_Msg]] = {}
        self._next_request = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._problem = ""
        # Of the newest -ERR.
        self._refusal = ""
        # Of a refusal that no publisher handles: how many there were, and when the next one is logged.
        self._refusals = 0
        self._next_warning = 0.0
        # Whether anything came since the last ping.
        self._has_heard = False
        self.is_connected = False
        self.on_connected: Callable[[], None] = lambda: None
        # Gets the subject and the reason; returns whether the program handles it.
        self.on_refused: Callable[[str, str], bool] = lambda subject, reason: False
        self.subscribe(self._inbox + "*", self._take_answer)

    def start(self) -> asyncio.Future[None]:
        """Resolves with the first connection."""
        first = asyncio.get_running_loop().create_future()
        self.spawn(self._run(first))
        return first

    def spawn(self, work: Any) -> asyncio.Task[None]:
        """Runs in the background until the connection is closed. Problems are logged."""

        async def guarded() -> None:
            try:
                await work
            except asyncio.CancelledError:
                raise
            except Exception as error:  # The other tasks go on.
                self._log(f"error: {error}")

        task = asyncio.get_running_loop().create_task(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        if self.is_connected and self._transport is not None and not self._transport.is_closing():
            try:
                await asyncio.wait_for(self.flush(), 1)
            except (asyncio.TimeoutError, MgrError):
                pass
        for task in list(self._tasks):
            task.cancel()
        self._end()

    def publish(self, subject: str, data: bytes, reply: str = "", headers: Optional[Mapping[str, str]] = None) -> None:
        transport = self._transport
        if transport is None or not self.is_connected:
            raise MgrError("host_unavailable", f"the bus is not connected; {subject} was not sent")
        if transport.get_write_buffer_size() > MAX_UNSENT_BYTES:
            raise MgrError("busy", f"more than {MAX_UNSENT_BYTES} bytes are unsent; {subject} was not sent, try again later")
        head = b""
        if headers:
            head = ("NATS/1.0\r\n" + "".join(f"{key}: {value}\r\n" for key, value in headers.items()) + "\r\n").encode()
        size = len(head) + len(data)
        limit = int(self._info.get("max_payload", 1024 * 1024))
        if size > limit:
            raise MgrError("too_large", f"a message of {size} bytes to {subject} is over the bus limit of {limit}")
        words = f"{subject} {reply} " if reply else f"{subject} "
        line = f"HPUB {words}{len(head)} {size}\r\n" if head else f"PUB {words}{size}\r\n"
        transport.write(b"".join((line.encode(), head, data, b"\r\n")))

    def subscribe(self, subject: str, callback: Callable[[_Msg], Any], queue: str = "") -> int:
        sid = self._next_sid
        self._next_sid += 1
        self._subscriptions[sid] = _Subscription(subject, queue, callback)
        if self.is_connected:
            self._send_subscription(sid)
        return sid

    def unsubscribe(self, sid: int) -> None:
        if self._subscriptions.pop(sid, None) is not None and self.is_connected and self._transport is not None:
            self._transport.write(f"UNSUB {sid}\r\n".encode())

    async def request(self, subject: str, data: bytes, timeout: float) -> _Msg:
        token = str(self._next_request)
        self._next_request += 1
        answer: asyncio.Future[_Msg] = asyncio.get_running_loop().create_future()
        self._waiting[token] = answer
        try:
            self.publish(subject, data, self._inbox + token)
            message = await asyncio.wait_for(answer, timeout)
        except asyncio.TimeoutError:
            raise MgrError("timeout", f"no answer to {subject} within {timeout} s; it may still have been carried out") from None
        finally:
            self._waiting.pop(token, None)
        if message.status == 503:
            raise MgrError("not_found", f"no program answers {subject}")
        return message

    async def flush(self) -> None:
        """Returns when the broker has processed everything that was sent before."""
        if self._transport is None:
            raise MgrError("host_unavailable", "the bus is not connected")
        pong: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pongs.append(pong)
        self._transport.write(b"PING\r\n")
        await pong

    # asyncio.Protocol

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        raw = transport.get_extra_info("socket")
        if raw is not None:
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def connection_lost(self, error: Optional[Exception]) -> None:
        self._end()

    def data_received(self, data: bytes) -> None:
        self._has_heard = True
        data = self._buffer + data if self._buffer else data
        at = 0
        while True:
            end = data.find(b"\r\n", at)
            if end < 0:
                if len(data) - at > MAX_LINE_BYTES:
                    self._end()
                    return
                break
            line = data[at:end]
            verb = line[:4].upper()
            if verb in (b"MSG ", b"HMSG"):
                words = line.split()
                size = int(words[-1])
                start = end + 2
                if len(data) < start + size + 2:
                    break
                self._message(words, data[start : start + size])
                at = start + size + 2
                continue
            at = end + 2
            self._control(verb, line)
            if self._transport is None:
                return
        self._buffer = data[at:]

    # Inside

    async def _run(self, first: asyncio.Future[None]) -> None:
        pause = MIN_PAUSE
        while True:
            try:
                await asyncio.wait_for(self._connect(), CONNECT_TIMEOUT)
                pause = MIN_PAUSE
                self._problem = ""
                if not first.done():
                    first.set_result(None)
                self.on_connected()
                await self._stay()
            except (OSError, MgrError, asyncio.TimeoutError) as error:
                self._end()
                problem = str(error) or "no answer in time"
                if problem != self._problem:
                    self._log(f"warning: not connected to {self._where.hostname}:{self._where.port or 4222}, trying again: {problem}")
                self._problem = problem
            await asyncio.sleep(pause * (0.75 + secrets.randbelow(500) / 1000))
            pause = min(pause * 1.5, MAX_PAUSE)

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        self._buffer = b""
        self._lost = loop.create_future()
        self._got_info = loop.create_future()
        await loop.create_connection(lambda: self, self._where.hostname, self._where.port or 4222)
        await self._or_lost(self._got_info)
        options = {
            "verbose": False, "pedantic": False, "headers": True, "no_responders": True, "protocol": 1, "echo": True,
            "lang": "python-mgr", "version": str(LIBRARY_VERSION), "name": self._name,
        }  # fmt: skip
        if self._where.password is not None:
            options.update({"user": unquote(self._where.username or ""), "pass": unquote(self._where.password)})
        elif self._where.username:
            options["auth_token"] = unquote(self._where.username)
        if self._transport is None:
            raise MgrError("host_unavailable", "the connection was lost")
        self._transport.write(f"CONNECT {json.dumps(options)}\r\n".encode())
        await self._or_lost(asyncio.ensure_future(self.flush()))
        self.is_connected = True
        for sid in self._subscriptions:
            self._send_subscription(sid)

    async def _or_lost(self, wanted: asyncio.Future[None]) -> None:
        assert self._lost is not None
        await asyncio.wait([wanted, self._lost], return_when=asyncio.FIRST_COMPLETED)
        if not wanted.done() or wanted.cancelled() or wanted.exception() is not None:
            wanted.cancel()
            raise MgrError("host_unavailable", self._refusal or "the broker closed the connection")

    async def _stay(self) -> None:
        """Until the connection is lost, or two pings are unanswered."""
        lost = self._lost
        assert lost is not None
        silences = 0
        while not lost.done():
            silences = 0 if self._has_heard else silences + 1
            if silences > 2:
                raise MgrError("timeout", "the broker does not answer")
            self._has_heard = False
            self.spawn(self._ping())
            await asyncio.wait([lost], timeout=PING_INTERVAL)

    async def _ping(self) -> None:
        try:
            await self.flush()
        except (MgrError, asyncio.CancelledError):
            pass

    def _end(self) -> None:
        self.is_connected = False
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.abort()
        for pong in self._pongs:
            pong.cancel()
        self._pongs.clear()
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(MgrError("host_unavailable", "the connection was lost before the answer; it may still have been carried out"))
        if self._lost is not None and not self._lost.done():
            self._lost.set_result(None)

    def _control(self, verb: bytes, line: bytes) -> None:
        if verb == b"PING" and self._transport is not None:
            self._transport.write(b"PONG\r\n")
        elif verb == b"PONG":
            if self._pongs:
                pong = self._pongs.popleft()
                if not pong.done():
                    pong.set_result(None)
        elif verb == b"INFO":
            try:
                self._info = json.loads(line[5:])
            except ValueError:
                self._end()
                return
            self._refusal = ""
            if self._got_info is not None and not self._got_info.done():
                self._got_info.set_result(None)
        elif verb == b"-ERR":
            self._refusal = line[5:].decode(errors="replace").strip("' ")
            if self.is_connected:
                self._report_refusal(self._refusal)
        elif verb != b"+OK":
            self._end()

    def _report_refusal(self, reason: str) -> None:
        publish = _REFUSED_PUBLISH.match(reason)
        try:
            if publish is not None and self.on_refused(publish[1], reason):
                return
        except Exception as error:  # The connection goes on.
            self._log(f"error: the handler of refusals of {publish and publish[1]} failed: {error!r}")
            return
        self._refusals += 1
        now = time.monotonic()
        if now >= self._next_warning:
            self._next_warning = now + QUIET_TIME
            self._log(f"warning: the broker refused: {reason} ({self._refusals} in all)")

    def _message(self, words: List[bytes], body: bytes) -> None:
        headers: Dict[str, str] = {}
        status = 0
        if words[0].upper() == b"HMSG":
            head_size = int(words[-2])
            first, *lines = body[:head_size].decode(errors="replace").split("\r\n")
            body = body[head_size:]
            code = first[8:].strip()[:3]
            status = int(code) if code.isdigit() else 0
            for line in lines:
                key, colon, value = line.partition(":")
                if colon:
                    headers[key] = value.strip()
            has_reply = len(words) == 6
        else:
            has_reply = len(words) == 5
        subscription = self._subscriptions.get(int(words[2]))
        if subscription is None:
            return
        try:
            subscription.callback(_Msg(words[1].decode(), words[3].decode() if has_reply else "", body, headers, status))
        except Exception as error:  # The others go on.
            self._log(f"error: the receiver of {words[1].decode()} failed: {error!r}")

    def _send_subscription(self, sid: int) -> None:
        subscription = self._subscriptions[sid]
        queue = f"{subscription.queue} " if subscription.queue else ""
        if self._transport is not None:
            self._transport.write(f"SUB {subscription.subject} {queue}{sid}\r\n".encode())

    def _take_answer(self, message: _Msg) -> None:
        answer = self._waiting.get(message.subject[len(self._inbox) :])
        if answer is not None and not answer.done():
            answer.set_result(message)


# Topics ----------------------------------------------------------------------------------------------------------


class Publisher:
    """Publishes one topic. Made by `Client.publisher`."""

    def __init__(self, client: Client, topic: Dict[str, Any], codec: Codec, on_refused: Optional[Callable[[str], None]]):
        self.topic: str = topic["name"]
        # Messages that were sent, their bytes, those of them that the broker refused, and messages that could not be sent.
        self.counters = {"sent": 0, "bytes": 0, "refused": 0, "unsent": 0}
        self._on_refused = on_refused
        self._client = client
        self._codec = codec
        self._subject = subject_of_topic(self.topic)
        self._seq = 0
        self._is_closed = False
        answer = json_text({key: topic[key] for key in ("name", "encoding", "definition", "definition_name")}).encode()
        self._info = client._nats.subscribe("topic_info." + subject_tokens(self.topic), lambda message: client._reply(message, answer))

    def publish(self, value: Any, *, cause: Optional[Message] = None) -> bool:
        """Sends one message now. False: it could not be sent and is counted as unsent; subscribers see the gap.

        `cause`: the received message that led to this one; `mgr topic latency` then shows the time from the first message of the chain on.

        True does not say that the broker accepts it: see `on_refused` of `Client.publisher`. Raises MgrError: bad_field (the value does not fit the definition), too_large, not_running (after `close`).
        """
        if self._is_closed:
            raise MgrError("not_running", f"the publisher of '{self.topic}' is closed")
        data = self._codec.encode(value)
        self._seq += 1
        headers = {"Mgr-Seq": str(self._seq), "Mgr-Time": str(time.time_ns())}
        stages = None if cause is None else _stages_after(cause, self.topic)
        if stages is not None:
            headers["Mgr-Stages"] = stages
        try:
            self._client._nats.publish(self._subject, data, headers=headers)
        except MgrError as error:
            self.counters["unsent"] += 1
            if error.code in ("busy", "host_unavailable"):
                return False
            raise
        self.counters["sent"] += 1
        self.counters["bytes"] += len(data)
        return True

    def _refused(self, reason: str) -> bool:
        """The broker refused a message. False: the program does not handle refusals."""
        self.counters["refused"] += 1
        if self._on_refused is None:
            return False
        self._on_refused(reason)
        return True

    def close(self) -> None:
        """Gives the topic up: another client may then publish it."""
        if self._is_closed:
            return
        self._is_closed = True
        self._client._nats.unsubscribe(self._info)
        self._client._forget(self)


class Message(NamedTuple):
    topic: str
    value: Any
    """Decoded by the topic's definition; the bytes of a topic without one."""
    data: bytes
    seq: Optional[int]
    """The publisher's counter; None from a plain NATS client."""
    time: Optional[int]
    """When it was published, nanoseconds since 1970."""
    is_last: bool
    """The message that the broker had kept for new subscribers."""
    problem: Optional[str]
    """Why `value` is only the bytes although the topic has a definition."""
    stages: Optional[str] = None
    """The messages that led to this one, for `cause` of `publish`."""
    late: Optional[int] = None
    """When the broker of its host received it, nanoseconds since 1970, if it was kept there while the link was cut; None: it came at once."""


MAX_STAGES = 8
_STAGE = re.compile(r"([A-Za-z0-9_.%-]{1,1024})=([0-9]{1,19})\Z")


def _stages_after(cause: Message, topic: str) -> Optional[str]:
    """The header Mgr-Stages of a message of `topic` that `cause` leads to (docs/clients.md, "Stages")."""
    if cause.time is None:
        return None
    stages = [] if cause.stages is None else cause.stages.split(";")
    if len(stages) > MAX_STAGES or not all(_STAGE.match(stage) for stage in stages):
        stages = []
    stages.append(f"{subject_tokens(cause.topic)}={cause.time}")
    own = subject_tokens(topic) + "="
    for at in range(len(stages) - 1, -1, -1):
        if stages[at].startswith(own):
            stages = stages[at + 1 :]
            break
    if len(stages) > MAX_STAGES:
        stages = stages[:1] + stages[1 - MAX_STAGES :]
    return ";".join(stages) or None


_SEQUENCE = re.compile(r"[1-9][0-9]{0,15}\Z")
_TIME_TEXT = re.compile(r"[0-9]{1,19}\Z")


class Subscription:
    """Messages of one topic: `async for message in subscription`, in one task. Made by `Client.subscribe`."""

    def __init__(self, client: Client, topic: str, definition: Definition, on_message: Optional[Callable[[Message], None]], late: bool = False):
        self.topic = topic
        # Messages that were received, that were published but have not come, that the program did not take in time, that could not be decoded, and
        # that came late, which count as received, too.
        self.counters = {"received": 0, "bytes": 0, "missed": 0, "dropped": 0, "undecoded": 0, "late": 0}
        self._client = client
        self._on_message = on_message
        self._is_fixed = definition is not None
        self._codec: Optional[Codec] = _codec(definition) if self._is_fixed else None
        self._retry_at = 0.0
        self._is_asking = False
        # A publisher that did not answer is asked again beside the messages, which do not wait another time.
        self._is_silent = False
        self._held: deque[_Msg] = deque()
        self._queue: deque[Message] = deque()
        self._wake = asyncio.Event()
        self._last: Optional[Tuple[int, Optional[int]]] = None
        self._is_closed = False
        self._late = _LateSamples() if late else None
        self._sids = [client._nats.subscribe(subject_of_topic(topic), self._receive)]
        if late:
            self._sids.append(client._nats.subscribe("late." + subject_tokens(topic), self._receive_late))

    def __aiter__(self) -> AsyncIterator[Message]:
        return self

    async def __anext__(self) -> Message:
        while not self._queue:
            if self._is_closed:
                raise StopAsyncIteration
            self._wake.clear()
            await self._wake.wait()
        return self._queue.popleft()

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        for sid in self._sids:
            self._client._nats.unsubscribe(sid)
        self._client._forget(self)
        self._wake.set()

    def _receive(self, message: _Msg) -> None:
        step = self._count(message)
        if step == "duplicate":
            return
        if step == "restarted" and not self._is_fixed:
            # Its definition may be another one.
            self._codec = None
            self._retry_at = 0.0
            self._is_silent = False
        self._accept(message)

    def _receive_late(self, message: _Msg) -> None:
        place = _LATE_INDEX.match(message.headers.get("Mgr-Late-Index", ""))
        if self._late is None or place is None or _late_time(message) is None:
            return
        log, index, first = place[1], int(place[2]), int(place[3])
        seq, at, _ = _marks(message)
        filled = self._late.filled
        if self._late.is_wanted(log, index, first, (seq, at)):
            self.counters["late"] += 1
            self.counters["missed"] -= min(self.counters["missed"], self._late.filled - filled)
            self._accept(message)
        if message.reply:
            self._client._nats.publish(message.reply, str(self._late.next_of(log)).encode())

    def _accept(self, message: _Msg) -> None:
        self.counters["received"] += 1
        self.counters["bytes"] += len(message.data)
        self._ask_if_needed()
        if self._is_asking and not self._is_silent:
            self._push(self._held, message)
        else:
            self._deliver(message)

    def _count(self, message: _Msg) -> str:
        seq, at, is_last = _marks(message)
        if seq is None:
            return "next"
        filled = 0 if self._late is None else self._late.live(seq, at, is_last)
        last = self._last
        if is_last and last == (seq, at):
            return "duplicate"
        self._last = (seq, at)
        if last is None:
            return "next"
        if seq <= last[0]:
            return "restarted"
        self.counters["missed"] += max(0, seq - last[0] - 1 - filled)
        return "next"

    def _ask_if_needed(self) -> None:
        if self._codec is None and not self._is_asking and time.monotonic() >= self._retry_at:
            self._is_asking = True
            self._client._nats.spawn(self._ask())

    async def _ask(self) -> None:
        try:
            answer = await self._client._nats.request("topic_info." + subject_tokens(self.topic), b"", INFO_TIMEOUT)
            info = json.loads(answer.data)
            self._codec = _codec({"cdr": str(info["definition"]), "json": {}, "protobuf": None, "raw": None}[info["encoding"]])
        except (MgrError, ValueError, KeyError, TypeError):
            # A publisher without a library: its messages are bytes.
            self._is_silent = True
            self._retry_at = time.monotonic() + INFO_RETRY
        finally:
            self._is_asking = False
            while self._held:
                self._deliver(self._held.popleft())

    def _deliver(self, message: _Msg) -> None:
        if self._is_closed:
            return
        value: Any = message.data
        problem = None
        if self._codec is not None:
            try:
                value = self._codec.decode(message.data)
            except MgrError as error:
                problem = str(error)
                self.counters["undecoded"] += 1
        late = _late_time(message) if message.subject.startswith("late.") else None
        decoded = Message(self.topic, value, message.data, *_marks(message), problem, message.headers.get("Mgr-Stages") or None, late)
        if self._on_message is None:
            self._push(self._queue, decoded)
            self._wake.set()
            return
        try:
            self._on_message(decoded)
        except Exception as error:  # A defect of the program must not end its connection.
            self._client._log(f"error: the receiver of '{self.topic}' failed: {error!r}")

    def _push(self, queue: deque[Any], item: Any) -> None:
        queue.append(item)
        if len(queue) > MAX_WAITING_MESSAGES:
            queue.popleft()
            self.counters["dropped"] += 1


def _marks(message: _Msg) -> Tuple[Optional[int], Optional[int], bool]:
    seq = message.headers.get("Mgr-Seq", "")
    at = message.headers.get("Mgr-Time", "")
    is_last = message.headers.get("Mgr-Last") == "1"
    return int(seq) if _SEQUENCE.match(seq) else None, int(at) if _TIME_TEXT.match(at) else None, is_last


# Late samples ----------------------------------------------------------------------------------------------------

_LATE_INDEX = re.compile(r"(\S{1,64}) ([0-9]{1,15}) ([0-9]{1,15})\Z")
# Gaps in the live samples that are remembered; the oldest are forgotten, and samples in them count as received.
MAX_GAPS = 1_000
# Hosts whose numberings are remembered for a topic; the oldest is forgotten.
MAX_LATE_LOGS = 16
_Mark = Tuple[Optional[int], Optional[int]]


def _late_time(message: _Msg) -> Optional[int]:
    """When the broker of its host received a late sample; None: it is none."""
    at = message.headers.get("Mgr-Late", "")
    return int(at) if _TIME_TEXT.match(at) else None


def _is_after(one: _Mark, other: _Mark) -> bool:
    """Whether a sample was published after another one. Sequence numbers begin anew with the publisher, so times come first."""
    if one[1] is not None and other[1] is not None and one[1] != other[1]:
        return one[1] > other[1]
    return (one[0] or 0) > (other[0] or 0)


class _LateSamples:
    """Says which late samples of a topic are new: neither received live before the link was cut, nor late already. A mark is (seq, time)."""

    def __init__(self) -> None:
        # Samples that were missing among the live ones, and have come late.
        self.filled = 0
        # By numbering, the index of the next late sample: all before it have arrived.
        self._next: Dict[str, int] = {}
        self._kept: Optional[_Mark] = None
        self._begin: Optional[_Mark] = None
        self._last: Optional[_Mark] = None
        # The live samples around each gap, and how many samples in it are missing.
        self._gaps: deque[Tuple[_Mark, _Mark, List[int]]] = deque(maxlen=MAX_GAPS)
        # Late samples that are newer than the newest live one.
        self._ahead = 0

    def live(self, seq: int, at: Optional[int], is_last: bool) -> int:
        """Counts a live sample. Returns how many samples of the gap before it have come late already."""
        if is_last:
            self._kept = (seq, at)
            return 0
        after, self._last = self._last, (seq, at)
        self._begin = self._begin or self._last
        ahead, self._ahead = self._ahead, 0
        if after is None or seq == (after[0] or 0) + 1:
            return 0
        size = max(0, seq - (after[0] or 0) - 1)
        filled = min(ahead, size)
        self.filled += filled
        self._gaps.append((after, self._last, [size - filled]))
        return filled

    def next_of(self, log: str) -> int:
        return self._next.get(log, 0)

    def is_wanted(self, log: str, index: int, first: int, mark: _Mark) -> bool:
        # Those before `first` were confirmed by another subscriber, or dropped.
        expected = max(first, self._next.pop(log, 0))
        self._next[log] = expected + 1 if index == expected else expected
        if len(self._next) > MAX_LATE_LOGS:
            del self._next[next(iter(self._next))]
        return index == expected and self._fill(mark)

    def _fill(self, mark: _Mark) -> bool:
        """Whether the sample was missing. It is not any more."""
        if mark[0] is None:
            return True
        if mark == self._kept:
            return False
        if self._begin is None or self._last is None or _is_after(self._begin, mark):
            return True
        if _is_after(mark, self._last):
            self._ahead += 1
            return True
        for after, before, missing in self._gaps:
            if _is_after(mark, after) and _is_after(before, mark):
                if missing[0] > 0:
                    missing[0] -= 1
                    self.filled += 1
                return True
        return False


# Services --------------------------------------------------------------------------------------------------------

_ENDPOINT = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")


class _Service:
    """A NATS micro service (ADR-32)."""

    def __init__(self, client: Client, name: str, interface: Mapping[str, Any], handler: Handler, subject: Callable[[str, str], str]):
        problem = name_problem(name)
        if problem is not None:
            raise MgrError("bad_field", f"the name of a service {problem}")
        endpoints = list(interface.get("endpoints", {}))
        if not endpoints or not all(_ENDPOINT.match(each) for each in endpoints):
            raise MgrError("bad_field", f"the endpoints of '{name}' must have names of 1 to 64 of the characters A-Z a-z 0-9 _ -")
        self.id = secrets.token_hex(11).upper()
        self._client = client
        self._name = name
        self._handler = handler
        self._running = 0
        metadata = {"name": name, "interface": json_text(interface), "provider": client.name, "host": client.host}
        self._identity = {"name": nats_name(name), "id": self.id, "version": "1.0.0", "metadata": metadata}
        self._started = datetime.now(timezone.utc).isoformat().replace("+00:00", "Z")
        self._endpoints = [{"name": each, "subject": subject(each, self.id), "queue_group": "q", "metadata": {}} for each in endpoints]
        self._counters: Dict[str, Dict[str, Any]] = {
            each: {"num_requests": 0, "num_errors": 0, "last_error": "", "processing_time": 0} for each in endpoints
        }
        self._sids = [self._listen(endpoint) for endpoint in self._endpoints]
        # The endpoints come first: a service that is found can be called.
        for verb, answer in (("PING", self._ping), ("INFO", self._info), ("STATS", self._stats)):
            self._discover(verb, answer)

    def stop(self) -> None:
        for sid in self._sids:
            self._client._nats.unsubscribe(sid)
        self._sids = []

    def _listen(self, endpoint: Dict[str, Any]) -> int:
        nats = self._client._nats
        return nats.subscribe(endpoint["subject"], lambda message: nats.spawn(self._serve(endpoint["name"], message)), "q")

    def _discover(self, verb: str, answer: Callable[[], Dict[str, Any]]) -> None:
        def reply(message: _Msg) -> None:
            self._client._reply(message, json_text({"type": f"io.nats.micro.v1.{verb.lower()}_response", **self._identity, **answer()}).encode())

        for tail in ("", f".{self._identity['name']}", f".{self._identity['name']}.{self.id}"):
            self._sids.append(self._client._nats.subscribe(f"$SRV.{verb}{tail}", reply))

    def _ping(self) -> Dict[str, Any]:
        return {}

    def _info(self) -> Dict[str, Any]:
        return {"description": "", "endpoints": self._endpoints}

    def _stats(self) -> Dict[str, Any]:
        endpoints = []
        for endpoint in self._endpoints:
            counters = self._counters[endpoint["name"]]
            average = counters["processing_time"] // max(1, counters["num_requests"])
            endpoints.append({**endpoint, **counters, "average_processing_time": average})
        return {"started": self._started, "endpoints": endpoints}

    async def _serve(self, endpoint: str, message: _Msg) -> None:
        counters = self._counters[endpoint]
        began = time.perf_counter_ns()
        counters["num_requests"] += 1
        self._running += 1
        try:
            self._client._reply(message, await self._answer(endpoint, message))
        except Exception as error:  # Any failure of the handler is told to the caller.
            code = error.service_code if isinstance(error, ServiceError) else 400 if _is_bad_field(error) else 500
            text = re.sub(r"\s+", " ", str(error) or repr(error))[:1_000]
            counters["num_errors"] += 1
            counters["last_error"] = str(error) or repr(error)
            self._client._reply(message, b"", {"Nats-Service-Error-Code": str(code), "Nats-Service-Error": text})
        finally:
            self._running -= 1
            counters["processing_time"] += time.perf_counter_ns() - began

    async def _answer(self, endpoint: str, message: _Msg) -> bytes:
        if self._running > MAX_RUNNING_REQUESTS:
            raise ServiceError(503, f"{self._name} already answers {MAX_RUNNING_REQUESTS} requests; try again later")
        try:
            request = json.loads(message.data) if message.data else {}
        except ValueError:
            raise ServiceError(400, "the request is not JSON") from None
        result = self._handler(request, endpoint)
        if inspect.isawaitable(result):
            result = await result
        return json_text(result).encode()


def _is_bad_field(error: Exception) -> bool:
    return isinstance(error, MgrError) and error.code == "bad_field"


def _endpoint_subject(service: str, endpoint: str) -> str:
    return f"svc.{subject_tokens(service)}.{endpoint}"


# Parameters ------------------------------------------------------------------------------------------------------

_FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")
_INT = re.compile(r"[+-]?[0-9]+\Z")
_JSON_TYPES = {"float": "number", "int": "integer", "bool": "boolean", "string": "string"}


def parameter_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        text = str(_json_value(value)) if not math.isfinite(value) else repr(value)
        # As JavaScript writes it: 1 for 1.0, and 1e-7 for 1e-07.
        return re.sub(r"\.0$", "", re.sub(r"e([+-])0+", r"e\1", text))
    return str(value)


def parse_parameter(kind: str, text: str) -> Any:
    """The value of an override; None if the text is none of this type."""
    if kind == "string":
        return text if len(text) <= MAX_TEXT_LENGTH else None
    if kind == "bool":
        return {"true": True, "false": False}.get(text)
    if kind == "int":
        number = int(text) if _INT.match(text) and len(text) < 100 else None
        return number if number is not None and abs(number) <= MAX_SAFE_INTEGER else None
    value = float(text) if _FLOAT.match(text) else math.inf
    return value if math.isfinite(value) else None


class Parameter:
    """The program sets `input` and uses `value`, which is the override while a user has enabled one."""

    def __init__(self, name: str, spec: Mapping[str, Any], log: Log):
        problem = name_problem(name)
        if problem is not None:
            raise MgrError("bad_field", f"the name of the parameter '{name}' {problem}")
        unknown = set(spec) - {"type", "value", "unit", "min", "max", "description"}
        if unknown or spec.get("type") not in _JSON_TYPES or "value" not in spec:
            raise MgrError("bad_field", f"the parameter '{name}' must have a type (float, int, bool, string) and a value; unknown: {sorted(unknown)}")
        self.name = name
        self._spec = spec
        self._log = log
        self._listeners: List[Callable[[Any], None]] = []
        self._input = self._checked(spec["value"])
        self._override = self._input
        self.is_overridden = False

    @property
    def value(self) -> Any:
        """What the program is to use: the override if it is enabled, else the input."""
        return self._override if self.is_overridden else self._input

    @property
    def input(self) -> Any:
        return self._input

    @input.setter
    def input(self, value: Any) -> None:
        self._change(self._checked(value), self._override, self.is_overridden)

    def on_change(self, listener: Callable[[Any], None]) -> Callable[[], None]:
        """Calls `listener` with each new value. Returns the function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _set_override(self, enabled: bool, text: Any) -> Dict[str, Any]:
        # Disabling keeps the value for the next time.
        self._change(self._input, self._parse(text) if enabled else self._override, enabled)
        return {"parameter": self.name, "enabled": enabled, "value": parameter_text(self._override)}

    def _describe(self) -> Dict[str, Any]:
        return {
            "name": self.name,
            "type": self._spec["type"],
            "unit": self._spec.get("unit", ""),
            "minimum": self._spec.get("min"),
            "maximum": self._spec.get("max"),
            "description": self._spec.get("description", ""),
            "input": parameter_text(self._input),
            "output": parameter_text(self.value),
            "override_value": parameter_text(self._override),
            "override_enabled": self.is_overridden,
        }

    def _schema(self) -> Dict[str, Any]:
        kind = {"type": _JSON_TYPES[self._spec["type"]]}
        return {"title": f"parameter.{self._spec['type']}", "type": "object", "properties": {"input": kind, "output": kind}}

    def _parse(self, text: Any) -> Any:
        kind, least, most, unit = self._spec["type"], self._spec.get("min"), self._spec.get("max"), self._spec.get("unit", "")
        value = parse_parameter(kind, text) if isinstance(text, str) else None
        if value is None:
            raise MgrError("bad_field", f"'{str(text)[:100]}' is not a value of type {kind} for '{self.name}'")
        if (least is not None and value < least) or (most is not None and value > most):
            limits = ["-∞" if least is None else parameter_text(least), "∞" if most is None else parameter_text(most)]
            words = f"{parameter_text(value)} is out of range for '{self.name}': it must be {' to '.join(limits)} {unit}"
            raise MgrError("bad_field", words.rstrip())
        return value

    def _checked(self, value: Any) -> Any:
        kind = self._spec["type"]
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        fits = {
            "float": is_number,
            "int": is_number and isinstance(value, int) and abs(value) <= MAX_SAFE_INTEGER,
            "bool": isinstance(value, bool),
            "string": isinstance(value, str) and len(value) <= MAX_TEXT_LENGTH,
        }
        if not fits[kind]:
            raise MgrError("bad_field", f"the value of the parameter '{self.name}' must be of type {kind}, found {value!r}")
        return float(value) if kind == "float" else value

    def _change(self, new_input: Any, override: Any, enabled: bool) -> None:
        before = self.value
        self._input, self._override, self.is_overridden = new_input, override, enabled
        if before == self.value:
            return
        for listener in list(self._listeners):
            try:
                listener(self.value)
            except Exception as error:  # The others go on.
                self._log(f"error: a listener of the parameter '{self.name}' failed: {error!r}")


_PARAMETER_INTERFACE = {
    "name": "mgr.parameters.v1",
    "endpoints": {
        "list": {"description": "All parameters with their values"},
        "set_override": {
            "description": "Sets, enables or disables the override of one parameter",
            "request": {
                "type": "object",
                "properties": {"parameter": {"type": "string"}, "enabled": {"type": "boolean"}, "value": {"type": "string"}},
                "required": ["parameter", "enabled"],
            },
        },
        "request_topic": {
            "description": "Publishes one parameter from now on",
            "request": {"type": "object", "properties": {"parameter": {"type": "string"}}, "required": ["parameter"]},
            "response": {"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]},
        },
    },
}


class _ParameterService:
    def __init__(self, client: Client):
        self._client = client
        self._parameters: Dict[str, Parameter] = {}
        self._topics: Dict[str, asyncio.Task[str]] = {}
        self._published: List[Tuple[Parameter, Publisher]] = []

    def add(self, parameter: Parameter) -> None:
        if parameter.name in self._parameters:
            raise MgrError("conflict", f"this client already has a parameter '{parameter.name}'")
        self._parameters[parameter.name] = parameter

    async def answer(self, request: Any, endpoint: str) -> Any:
        if endpoint == "list":
            return {"parameters": [parameter._describe() for parameter in self._parameters.values()]}
        fields = request if isinstance(request, dict) else {}
        parameter = self._parameters.get(str(fields.get("parameter")))
        if parameter is None:
            raise MgrError("bad_field", f"this client has no parameter '{str(fields.get('parameter'))[:100]}'")
        if endpoint == "request_topic":
            return {"topic": await self._topic(parameter)}
        if not isinstance(fields.get("enabled"), bool):
            raise MgrError("bad_field", "'enabled' must be true or false")
        return parameter._set_override(fields["enabled"], fields.get("value"))

    async def _topic(self, parameter: Parameter) -> str:
        known = self._topics.get(parameter.name)
        # What failed is tried again with the next request.
        if known is None or (known.done() and (known.cancelled() or known.exception() is not None)):
            known = asyncio.ensure_future(self._begin(parameter))
            self._topics[parameter.name] = known
        return await asyncio.shield(known)

    async def _begin(self, parameter: Parameter) -> str:
        """The topic is named like the parameter, or has a longer name if another client has that one."""
        client = self._client
        try:
            publisher = await client.publisher(parameter.name, parameter._schema(), keep_last=True)
        except MgrError as error:
            if error.code != "conflict":
                raise
            publisher = await client.publisher(f"{client.name}/parameters/{parameter.name}", parameter._schema(), keep_last=True)
        if not self._published:
            client._nats.spawn(self._publish())
        self._published.append((parameter, publisher))
        return publisher.topic

    async def _publish(self) -> None:
        before: Dict[str, Tuple[Any, float]] = {}
        while True:
            now = time.monotonic()
            for parameter, publisher in self._published:
                value = {"input": parameter.input, "output": parameter.value}
                last, at = before.get(parameter.name, (None, 0.0))
                if value != last or now - at >= UNCHANGED_INTERVAL:
                    before[parameter.name] = (value, now)
                    publisher.publish(value)
            await asyncio.sleep(CHANGED_INTERVAL)


def _check_whole(option: str, value: Any, minimum: int, maximum: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not minimum <= value <= maximum:
        raise MgrError("bad_field", f"{option} must be a whole number from {minimum} to {maximum}")


# The client ------------------------------------------------------------------------------------------------------


class Client:
    """A program on the bus. Made by `connect_client`; `async with` closes it."""

    def __init__(self, nats: _Nats, identity: Dict[str, Any], log: Log):
        self.name: str = identity["name"]
        self.host: str = socket.gethostname()
        """The name that mgr has for this machine, once a broker of mgr has answered; else the machine's own."""
        self._nats = nats
        self._identity = identity
        self._log = log
        self._topics: Dict[str, Dict[str, Any]] = {}
        self._open: List[Union[Publisher, Subscription]] = []
        self._publishers: Dict[str, Publisher] = {}
        """Open ones, by subject."""
        self._past = {"sent": 0, "unsent": 0, "refused": 0, "received": 0, "missed": 0, "dropped": 0}
        self._parameter_service: Optional[_ParameterService] = None
        self._registering = asyncio.Lock()
        self._retry: Optional[asyncio.TimerHandle] = None
        self._problem = ""
        nats.on_connected = self._register_soon
        nats.on_refused = self._take_refusal

    @property
    def is_connected(self) -> bool:
        return self._nats.is_connected

    @property
    def counters(self) -> Dict[str, int]:
        """Messages sent, unsent, refused by the broker, received, missed and dropped, of all publishers and subscriptions since the client was connected."""
        return {key: past + sum(one.counters.get(key, 0) for one in self._open) for key, past in self._past.items()}

    async def publisher(
        self,
        topic: str,
        definition: Definition = None,
        *,
        definition_name: str = "",
        keep_last: bool = False,
        priority: int = 0,
        max_age_ms: Optional[int] = None,
        reliable_within: Optional[int] = None,
        on_refused: Optional[Callable[[str], None]] = None,
    ) -> Publisher:
        """Reserves a topic. `definition` is the text of a ROS 2 message (CDR), a JSON Schema (JSON), the name of a well-known message such as
        `foxglove.PoseInFrame` (JSON), or a `ProtobufDefinition`; without one it carries bytes.

        While a receiver reads slowly, topics of this client with a higher `priority` (0 to 7) are sent to it first, messages that have
        waited longer than `max_age_ms` are dropped, and messages beyond `reliable_within` bytes (at most 4 MiB) are refused instead of
        dropping older ones. `on_refused(reason)` is called for each message that the broker refused; before `flush` returns, it was
        called for everything that was published before. Without it refusals are logged.

        Raises MgrError: conflict (another client has the topic), bad_field.
        """
        if topic in self._topics:
            raise MgrError("conflict", f"this client already publishes '{topic}'")
        _check_whole("priority", priority, 0, MAX_PRIORITY)
        waiting = {"max_age_ms": max_age_ms, "reliable_within": reliable_within}
        waiting = {key: value for key, value in waiting.items() if value is not None}
        for key, value in waiting.items():
            _check_whole(key, value, 1, MAX_RELIABLE_BYTES if key == "reliable_within" else MAX_SAFE_INTEGER)
        codec = _codec(definition)
        text, name = _text_and_name(definition)
        described = {
            "name": topic, "encoding": codec.encoding, "definition": text,
            "definition_name": definition_name or name, "keep_last": keep_last, "priority": priority, **waiting,
        }  # fmt: skip
        publisher = Publisher(self, described, codec, on_refused)
        self._open.append(publisher)
        self._publishers[publisher._subject] = publisher
        self._topics[topic] = described
        refusal = (await self._register()).get(topic)
        if refusal is None:
            return publisher
        publisher.close()
        raise MgrError("conflict", f"the topic '{topic}' cannot be published: {refusal}")

    def subscribe(
        self, topic: str, *, definition: Definition = None, on_message: Optional[Callable[[Message], None]] = None, late: bool = False
    ) -> Subscription:
        """Messages of a topic: `async for message in client.subscribe(topic)`, or give `on_message`. The publisher may come later.

        Without a definition the publisher is asked what its messages are. With `late`, also the samples come that their host kept while its link was cut:
        beside newer ones, each once, with `message.late`.
        """
        subscription = Subscription(self, topic, definition, on_message, late)
        self._open.append(subscription)
        return subscription

    def provide(self, service: str, interface: Mapping[str, Any], handler: Handler) -> Callable[[], None]:
        """Offers a service: `handler(request, endpoint)` returns the response, or is a coroutine function. Returns the function that ends it.

        `interface` is {"name": …, "endpoints": {"call": {"request": JSON Schema, "response": JSON Schema, "description": …}}}.
        """
        return _Service(self, service, interface, handler, lambda endpoint, _id: _endpoint_subject(service, endpoint)).stop

    async def call(self, service: str, request: Any = None, *, endpoint: str = "call", timeout: float = 10.0) -> Any:
        """Asks a service and returns its response. Raises ServiceError, or MgrError: not_found, timeout, host_unavailable."""
        subject = _endpoint_subject(service, endpoint)
        try:
            answer = await self._nats.request(subject, json_text({} if request is None else request).encode(), timeout)
        except MgrError as error:
            if error.code != "not_found":
                raise
            raise MgrError("not_found", f"no client provides the service '{service}' with endpoint '{endpoint}'") from None
        code = answer.headers.get("Nats-Service-Error-Code", "")
        if code != "":
            raise ServiceError(int(code) if code.isdigit() else 500, answer.headers.get("Nats-Service-Error", "the service failed"))
        try:
            return json.loads(answer.data)
        except ValueError:
            raise MgrError("bad_field", f"the service '{service}' answered with something that is not JSON") from None

    def parameters(self, specs: Mapping[str, Mapping[str, Any]]) -> Dict[str, Parameter]:
        """Shows parameters that users may override: {"gain": {"type": "float", "value": 1, "unit": "", "min": 0, "max": 10}}.

        Then use `parameters["gain"].value`. May be called again for further ones.
        """
        made = {name: Parameter(name, spec, self._log) for name, spec in specs.items()}
        service = self._parameter_service
        if service is None:
            service = _ParameterService(self)
            name = f"{self.name}/parameters"
            # Each client of this name is asked, so the subject is its own.
            _Service(self, name, _PARAMETER_INTERFACE, service.answer, lambda endpoint, id: _endpoint_subject(f"{name}/{id}", endpoint))
            self._parameter_service = service
        for parameter in made.values():
            service.add(parameter)
        return made

    async def flush(self) -> None:
        """Returns when the broker has processed everything that was sent before."""
        await self._nats.flush()

    async def close(self) -> None:
        if self._retry is not None:
            self._retry.cancel()
        for one in list(self._open):
            if isinstance(one, Subscription):
                one.close()
        await self._nats.close()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_error: Any) -> None:
        await self.close()

    def _reply(self, message: _Msg, data: bytes, headers: Optional[Mapping[str, str]] = None) -> None:
        if message.reply == "":
            return
        try:
            self._nats.publish(message.reply, data, headers=headers)
        except MgrError as error:
            # The caller is told of what can be told; on a lost connection it finds out by itself.
            if error.code == "too_large" and headers is None:
                self._reply(message, b"", {"Nats-Service-Error-Code": "500", "Nats-Service-Error": str(error)})

    def _forget(self, one: Union[Publisher, Subscription]) -> None:
        if one not in self._open:
            return
        self._open.remove(one)
        for key in self._past:
            self._past[key] += one.counters.get(key, 0)
        if isinstance(one, Publisher):
            del self._topics[one.topic]
            del self._publishers[one._subject]
            self._register_soon()

    def _take_refusal(self, subject: str, reason: str) -> bool:
        publisher = self._publishers.get(subject)
        return publisher is not None and publisher._refused(reason)

    def _register_soon(self) -> None:
        self._nats.spawn(self._register())

    async def _register(self) -> Dict[str, str]:
        """Sends the whole list; the topics that were refused, with the broker's words."""
        async with self._registering:
            if self._retry is not None:
                self._retry.cancel()
            # A reconnect registers again.
            if not self._nats.is_connected:
                return {}
            body = json_text({**self._identity, "topics": list(self._topics.values())}).encode()
            try:
                answer = json.loads((await self._nats.request("mgr.client.register", body, REGISTER_TIMEOUT)).data)
            except (MgrError, ValueError):
                # No broker of mgr answers: a plain nats-server, or the connection was lost meanwhile.
                self._register_later(SILENT_RETRY)
                return {}
            if not isinstance(answer, dict) or answer.get("ok") is not True:
                words = str(answer.get("message")) if isinstance(answer, dict) else "the answer is not understood"
                self._report(f"the broker refused the registration: {words}")
                return {name: words for name in self._topics}
            self.host = str(answer.get("host") or self.host)
            refusals: Dict[str, str] = {}
            reports: List[str] = []
            for each in answer.get("problems") or []:
                if not isinstance(each, dict):
                    continue
                topic, words = str(each.get("topic")), str(each.get("message"))
                # The topic is reserved; only its definition is of no use to subscribers.
                if each.get("code") == "bad_field":
                    reports.append(f"messages of the topic '{topic}' cannot be decoded: {words}")
                    continue
                refusals[topic] = words
                reports.append(f"the topic '{topic}' was refused: {words}")
            if refusals:
                self._register_later(TAKEN_RETRY)
            self._report("; ".join(reports))
            return refusals

    def _register_later(self, pause: float) -> None:
        self._retry = asyncio.get_running_loop().call_later(pause, self._register_soon)

    def _report(self, problem: str) -> None:
        """Each problem once, not at each attempt."""
        if problem not in ("", self._problem):
            self._log(f"warning: {problem}")
        self._problem = problem


async def connect_client(
    name: str, *, url: Optional[str] = None, svn_revision: int = 0, modified: bool = False, log: Optional[Log] = None
) -> Client:
    """Connects a program to the bus. Waits until the broker is there, and reconnects for ever.

    The address is `url`, else the variable MGR_BUS_URL, which mgr sets for every process. MGR_CLIENT_NAME takes the place of `name`.
    `log` gets problems that do not end anything; default: standard error. Raises MgrError bad_field.
    """
    name = os.environ.get("MGR_CLIENT_NAME") or name
    if not 1 <= len(name) <= MAX_CLIENT_NAME_LENGTH:
        raise MgrError("bad_field", f"the name of a client must have 1 to {MAX_CLIENT_NAME_LENGTH} characters")
    address = url or os.environ.get("MGR_BUS_URL", "")
    if address == "":
        raise MgrError(
            "bad_field",
            "there is no address of the bus: mgr sets MGR_BUS_URL for its processes; elsewhere, set it to the content of bus.url in the state folder",
        )
    say = log or (lambda text: print(f"{name}: {text}", file=sys.stderr, flush=True))
    nats = _Nats(address, name, say)
    identity = {
        "name": name,
        "pid": os.getpid(),
        "library_version": LIBRARY_VERSION,
        "svn_revision": svn_revision,
        "modified": modified,
        "svc_debug": os.environ.get("MGR_DEBUG") == "1",
    }
    first = nats.start()
    try:
        await first
    except asyncio.CancelledError:
        await nats.close()
        raise
    client = Client(nats, identity, say)
    await client._register()
    return client
