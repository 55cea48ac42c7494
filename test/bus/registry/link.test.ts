import { expect, it } from "vitest";
import { createBroker } from "../../../src/bus/broker/broker.ts";
import { HubConnection } from "../../../src/bus/leaf/hub-connection.ts";
import { hubDial } from "../../../src/bus/leaf/hub-dial.ts";
import { RegistryRig } from "./registry-rig.ts";

it("the newest message of a topic with keep_last crosses the link to the first subscriber there", async () => {
  await using rig = await RegistryRig.start();
  const publisher = await rig.client("driver", [{ name: "arm/state", encoding: "raw", keep_last: true }]);
  publisher.publish("topic.arm.state", "kept");
  await publisher.flush();
  const hub = createBroker();
  const link = new HubConnection({
    broker: rig.broker,
    name: "rt1",
    dial: hubDial({ server: { kind: "memory", broker: hub } }),
    log: () => {},
  });
  try {
    const received: string[] = [];
    const port = hub.port();
    port.subscribe("topic.arm.state", ({ data }) => received.push(Buffer.from(data).toString()));
    await expect.poll(() => received).toEqual(["kept"]);
  } finally {
    await link.close();
    await hub.close();
  }
});
