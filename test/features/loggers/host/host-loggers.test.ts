import { expect, it } from "vitest";
import { connectBus } from "../../../../src/bus/client/connect-bus.ts";
import { jsonOf } from "../../../../src/bus/client/rpc-envelope.ts";
import { noBusFiles } from "../../../../src/daemon/bus/bus-files.ts";
import { HostBus } from "../../../../src/daemon/bus/host-bus.ts";
import { type LoggerSpec, ringPage } from "../../../../src/features/loggers/contract.ts";
import { HostRig } from "../../../daemon/support/hosts.ts";

const SPEC: LoggerSpec = { name: "arm", only_ts: false, is_started: true, topics: [{ name: "arm/state", log_size: 10_000, divisor: 1 }] };
const MEMORY = 64 * 1024 * 1024;

it("a logger continues without a manager; the next manager finds its samples, and the earlier one can no longer change it", async () => {
  const bus = await HostBus.open({ host: "bench", files: noBusFiles(), log: () => {} });
  await using rig = await HostRig.open({ bus });
  const { connection } = await connectBus({ server: { kind: "url", urls: [bus.localUrl] }, name: "p", waitForBroker: false });
  const publish = async (first: number, last: number) => {
    for (let n = first; n <= last; n++) connection.publish("topic.arm.state", String(n));
    await connection.flush();
  };
  try {
    const earlier = rig.session;
    await rig.host.request("logger_set", { session: earlier, logger: SPEC, max_memory: MEMORY });
    await publish(1, 100);
    // The manager is gone: no request, no heartbeat. The programs of the host go on.
    await publish(101, 200);
    const session = await rig.hello(2);
    const stopped = { ...SPEC, is_started: false };
    const late = rig.host.request("logger_set", { session: earlier, logger: stopped, max_memory: MEMORY });
    await expect(late).rejects.toMatchObject({ code: "stale_session" });
    await publish(201, 300);
    const { loggers, next, data: rings } = await rig.host.request("logger_reports", { session });
    expect([loggers, next]).toEqual([["arm"], null]);
    expect(ringPage.parse(jsonOf(rings))).toMatchObject([{ logger: "arm", topic: "arm/state", first: 0, end: 300 }]);
    await rig.host.request("logger_set", { session, logger: stopped, max_memory: MEMORY });
    await publish(301, 400);
    const range = { logger: "arm", topic: "arm/state", from: 0, skip: 0, until: 1_000 };
    const { data, next: end } = await rig.host.request("logger_read", { session, ...range });
    const numbers: number[] = [];
    const bytes = Buffer.from(data);
    for (let at = 0; at < bytes.length; at += 28 + bytes.readUInt32LE(at)) {
      numbers.push(Number(bytes.toString("utf8", at + 28, at + 28 + bytes.readUInt32LE(at))));
    }
    expect([end, numbers]).toEqual([300, Array.from({ length: 300 }, (_, n) => n + 1)]);
  } finally {
    await connection.close();
    await bus.close();
  }
});

it("a host without a broker reports that it has no loggers", async () => {
  await using rig = await HostRig.open();
  const { session } = rig;
  expect(await rig.host.request("logger_reports", { session })).toEqual({ loggers: [], data: Buffer.from("[]"), next: null });
  const refused = { code: "conflict", message: "this host has no broker, and so no loggers" };
  await expect(rig.host.request("logger_set", { session, logger: SPEC, max_memory: MEMORY })).rejects.toMatchObject(refused);
});

it("a logger with too many or too few values is refused by the host", async () => {
  await using rig = await HostRig.open();
  const wrong: [logger: object, max_memory: number][] = [
    [{ name: "" }, MEMORY],
    [{ topics: [{ name: "a", log_size: 0, divisor: 1 }] }, MEMORY],
    [{ topics: [{ name: "a", log_size: 1, divisor: 0 }] }, MEMORY],
    [{ topics: Array.from({ length: 1_001 }, (_, n) => ({ name: `t${n}`, log_size: 1, divisor: 1 })) }, MEMORY],
    [{}, 0],
  ];
  for (const [logger, max_memory] of wrong) {
    const answer = rig.host.request("logger_set", { session: rig.session, logger: { ...SPEC, ...logger }, max_memory });
    await expect(answer, JSON.stringify(logger).slice(0, 80)).rejects.toMatchObject({ code: "bad_field" });
  }
});
