import { expect, it } from "vitest";
import { HostTable } from "../../../../src/app/hosts/host-table.ts";
import type { DataPlaneTables } from "../../../../src/features/data-plane/manager/data-plane-tables.ts";
import { ManagerNetwork } from "../../../../src/features/network-statistics/manager/manager-network.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";
import { port } from "./support.ts";

/** A manager whose only host has received 1,000 bytes a second on one interface since it was started. */
function rig() {
  const clock = new SimulatedClock();
  const hosts = new HostTable();
  const request = async () => {
    const time = clock.monotonic();
    return { time, next: null, data: Buffer.from(JSON.stringify([port("eth0", { rx_bytes: time })])) };
  };
  const session = {
    isOpen: true,
    streamId: "life",
    forwards: [],
    link: { host: "rt1", request },
    command: (send: (id: string) => unknown) => send("s"),
  };
  hosts.set("rt1", { controller: { session } } as never);
  const tables = { subjects: () => [], allInstances: () => [], hostOfAddress: (ip: string) => ip } as unknown as DataPlaneTables;
  const network = new ManagerNetwork({
    clock,
    hosts,
    tables,
    hub: null,
    peers: null,
    host: "bench",
    networks: () => new Map(),
    named: { session: () => session as never },
  });
  return { clock, network, session };
}

it("the shortest measurement compares two samples of its own", async () => {
  const { clock, network } = rig();
  const stats = network.stats({ seconds: 0.1, mode: "interval" });
  await clock.advance(100);
  expect(await stats).toMatchObject({ sample_seconds: 0.1, interfaces: [{ host: "rt1", rx_bytes_s: 1_000 }] });
});

it("`previous` compares with the last sample at once, and measures for two seconds if there is none", async () => {
  const { clock, network } = rig();
  const first = network.stats({ seconds: 0.1, mode: "previous" });
  await clock.advance(2_000);
  expect(await first).toMatchObject({ sample_seconds: 2 });
  await clock.advance(700);
  expect(await network.stats({ seconds: 0.1, mode: "previous" })).toMatchObject({ sample_seconds: 0.7 });
});

it("the rates of a host that does not answer are removed with the first sample without it, the host is a problem, and its rates return with it", async () => {
  const { clock, network, session } = rig();
  const next = async () => {
    await clock.advance(1_000);
    return network.stats({ seconds: 0.1, mode: "previous" });
  };
  const first = network.stats({ seconds: 0.1, mode: "interval" });
  await clock.advance(100);
  expect((await first).interfaces).toHaveLength(1);
  session.isOpen = false;
  for (let round = 0; round < 3; round++) {
    const { interfaces, links, problems } = await next();
    expect({ interfaces, links }).toEqual({ interfaces: [], links: [] });
    expect(problems).toMatchObject([
      {
        kind: "unreachable",
        severity: "warning",
        host: "rt1",
        message: expect.stringMatching(/^rt1 does not answer; it was last heard \d s ago/),
      },
    ]);
  }
  session.isOpen = true;
  // One sample to compare with.
  await next();
  expect(await next()).toMatchObject({ interfaces: [{ host: "rt1", rx_bytes_s: 1_000 }], problems: [] });
});
