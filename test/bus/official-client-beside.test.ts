import { connect } from "@nats-io/transport-node";
import { expect, it } from "vitest";
import { createBroker } from "../../src/bus/broker/broker.ts";
import { BusRig } from "./bus-rig.ts";
import { Tcp, TOKEN } from "./carriers.ts";

it("connections of the official client in the same program do not change how a bus connects and reconnects", async () => {
  await using tcp = new Tcp();
  await tcp.begin();
  await using rig = await BusRig.start();
  const before = await rig.bus("before");
  const official = await connect({ servers: `127.0.0.1:${tcp.port}`, token: TOKEN, reconnectTimeWait: 50, maxReconnectAttempts: -1 });
  try {
    const after = await rig.bus("after", { waitForBroker: false });
    for (const bus of [before, after]) await bus.flush();
    await rig.broker.close();
    rig.broker = createBroker();
    await rig.broker.listenUnix(rig.path);
    for (const bus of [before, after])
      await expect
        .poll(() =>
          bus.flush().then(
            () => true,
            () => false,
          ),
        )
        .toBe(true);
    expect(
      rig.broker
        .stats()
        .clients.map(({ name }) => name)
        .sort(),
    ).toEqual(["after", "before"]);
    // The official client reconnects as well.
    await tcp.broker?.close();
    await tcp.begin();
    await expect
      .poll(() =>
        official.flush().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
  } finally {
    await official.close();
  }
});
