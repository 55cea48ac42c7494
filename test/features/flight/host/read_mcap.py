"""Reads an MCAP file without any library, and prints what is in it as JSON."""

import json
import struct
import sys
import zlib

MAGIC = b"\x89MCAP0\r\n"


def text(data, at):
    (length,) = struct.unpack_from("<I", data, at)
    return data[at + 4 : at + 4 + length].decode(), at + 4 + length


def pairs(data, at):
    (length,) = struct.unpack_from("<I", data, at)
    end = at + 4 + length
    at += 4
    found = {}
    while at < end:
        key, at = text(data, at)
        found[key], at = text(data, at)
    return found


def records(data):
    at = 0
    while at < len(data):
        opcode, length = struct.unpack_from("<BQ", data, at)
        yield opcode, data[at + 9 : at + 9 + length]
        at += 9 + length


with open(sys.argv[1], "rb") as file:
    content = file.read()
assert content.startswith(MAGIC) and content.endswith(MAGIC)
channels, encodings, messages, metadata, last = {}, {}, {}, {}, None
for opcode, record in records(content[len(MAGIC) : -len(MAGIC)]):
    if opcode == 0x0C:
        name, at = text(record, 0)
        metadata[name] = pairs(record, at)
    if opcode != 0x06:
        continue
    crc, compression = struct.unpack_from("<II", record, 24)
    assert compression == 0
    inner = record[40:]
    assert zlib.crc32(inner) == crc
    for kind, part in records(inner):
        if kind == 0x04:
            (channel,) = struct.unpack_from("<H", part, 0)
            channels[channel], at = text(part, 4)
            encodings[channel] = text(part, at)[0]
        if kind == 0x05:
            (channel,) = struct.unpack_from("<H", part, 0)
            messages[channels[channel]] = messages.get(channels[channel], 0) + 1
            if encodings[channel] == "json":
                last = json.loads(part[22:])
print(json.dumps({"messages": messages, "metadata": metadata, "last": last}))
