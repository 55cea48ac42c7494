#!/usr/bin/env python3
"""A thermometer on the bus: topic room/temperature at 10 Hz, parameter room/offset, service room/calibrate.

Put clients/python/mgr_client.py next to this file, or its folder into PYTHONPATH. Run it as a process of mgr, or:

    MGR_BUS_URL=$(cat STATE_FOLDER/bus.url) python3 thermometer.py
"""
import asyncio
import random

from mgr_client import ServiceError, connect_client


async def main():
    client = await connect_client("room/thermometer")
    schema = {"title": "demo.Temperature", "type": "object", "properties": {"celsius": {"type": "number"}}}
    temperature = await client.publisher("room/temperature", schema)
    spec = {"type": "float", "value": 0, "unit": "°C", "min": -5, "max": 5, "description": "Added to each reading"}
    offset = client.parameters({"room/offset": spec})["room/offset"]
    reading = 21.0

    def calibrate(request, _endpoint):
        celsius = request.get("celsius")
        if not isinstance(celsius, (int, float)):
            raise ServiceError(400, "celsius must be the true temperature")
        offset.input = max(-5, min(5, celsius - reading))
        return {"offset": offset.input}

    client.provide("room/calibrate", {"name": "demo.Calibrate", "endpoints": {"call": {"description": "Sets the offset"}}}, calibrate)
    print("publishing room/temperature", flush=True)
    while True:
        reading += (random.random() - 0.5) / 10
        temperature.publish({"celsius": reading + offset.value})
        await asyncio.sleep(0.1)


asyncio.run(main())
