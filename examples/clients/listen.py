#!/usr/bin/env python3
"""Prints the messages of a topic, and at the end how many were missed: python3 listen.py TOPIC [COUNT]

Put clients/python/mgr_client.py next to this file, or its folder into PYTHONPATH.
"""
import asyncio
import sys

from mgr_client import connect_client


async def main(topic, count="0"):
    async with await connect_client("listen") as client:
        subscription = client.subscribe(topic)
        left = int(count)
        async for message in subscription:
            print(message.seq, message.value, flush=True)
            left -= 1
            if left == 0:
                break
        print(subscription.counters)


if not 2 <= len(sys.argv) <= 3:
    raise SystemExit(__doc__)
asyncio.run(main(*sys.argv[1:]))
