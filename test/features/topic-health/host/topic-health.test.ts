import { expect, test } from "vitest";
import { connectBus } from "../../../../src/bus/client/connect-bus.ts";
import type { HostEvent } from "../../../../src/contract/messages.ts";
import { noBusFiles } from "../../../../src/daemon/bus/bus-files.ts";
import { HostBus } from "../../../../src/daemon/bus/host-bus.ts";
import type { TopicProbe } from "../../../../src/features/topic-health/contract.ts";
import { HostRig, spec } from "../../../daemon/support/hosts.ts";

const probe: TopicProbe = {
  kind: "topic",
  topic: "arm/state",
  min_rate: null,
  max_gap_ms: null,
  max_latency_ms: null,
  interval_ms: 100,
  timeout_ms: 60_000,
};

test("a process is ready when its topic has the rate, and fails its liveness check when it stops publishing", async () => {
  const bus = await HostBus.open({ host: "bench", files: noBusFiles(), log: () => {} });
  await using rig = await HostRig.open({ bus });
  const { connection } = await connectBus({ server: { kind: "url", urls: [bus.localUrl] }, name: "arm", waitForBroker: false });
  try {
    const ready = await rig.spawn(spec("published", "sleep 600", { ready: probe }));
    const fast = await rig.spawn(spec("fast", "sleep 600", { ready: { ...probe, min_rate: 20 }, alive: { probe, failures: 2 } }));
    expect(ready.ready).toBe(false);
    connection.publish("topic.arm.state", "1");
    await rig.event(ready, "ready");
    // Many at a time: on a slow machine the timer is late, and the rate is reached nevertheless.
    const publishing = setInterval(() => {
      for (let n = 0; n < 50; n++) connection.publish("topic.arm.state", "1");
    }, 5);
    await rig.event(fast, "ready");
    expect(fast.unhealthy).toBeNull();
    const isFound =
      (isGood: boolean) =>
      ({ run }: HostEvent) =>
        run.run_id === fast.run_id && run.checks?.some(({ about, problem }) => about === "arm/state" && (problem === null) === isGood);
    await rig.until(() => rig.events.find(isFound(true)));
    clearInterval(publishing);
    const failed = await rig.until(() => rig.events.find(({ run }) => run.run_id === fast.run_id && run.unhealthy !== null));
    expect(failed.run.unhealthy).toMatch(/^not alive: topic 'arm\/state' failed 2 times in a row: nothing was published for [\d.]+ ms$/);
    await rig.until(() => rig.events.find(isFound(false)));
  } finally {
    await connection.close();
    await bus.close();
  }
});

test("on a host without a broker the reason says so", async () => {
  await using rig = await HostRig.open();
  const run = await rig.spawn(spec("p", "sleep 600", { alive: { probe, failures: 1 } }));
  const failed = await rig.until(() => rig.events.find(({ run: { run_id, unhealthy } }) => run_id === run.run_id && unhealthy !== null));
  expect(failed.run.unhealthy).toBe("not alive: topic 'arm/state' failed: this host has no broker");
});
