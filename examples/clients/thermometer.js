// A thermometer on the bus: topic room/temperature at 10 Hz, parameter room/offset, service room/calibrate.
// Run it as a process of mgr, or: MGR_BUS_URL=$(cat STATE_FOLDER/bus.url) node thermometer.js
import { connectClient, ServiceError } from "mgr/client";

const client = await connectClient({ name: "room/thermometer" });
const temperature = await client.publisher("room/temperature", {
  title: "demo.Temperature",
  type: "object",
  properties: { celsius: { type: "number" } },
});
const parameters = client.parameters({
  "room/offset": { type: "float", value: 0, unit: "°C", min: -5, max: 5, description: "Added to each reading" },
});
const offset = parameters["room/offset"];

let reading = 21;
client.provide("room/calibrate", { name: "demo.Calibrate", endpoints: { call: { description: "Sets the offset" } } }, ({ celsius }) => {
  if (typeof celsius !== "number") throw new ServiceError(400, "celsius must be the true temperature");
  offset.input = Math.max(-5, Math.min(5, celsius - reading));
  return { offset: offset.input };
});
setInterval(() => {
  reading += (Math.random() - 0.5) / 10;
  temperature.publish({ celsius: reading + offset.value });
}, 100);
console.log("publishing room/temperature");
