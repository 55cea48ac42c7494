import { expect, it } from "vitest";
import { HostTable } from "../../../../src/app/hosts/host-table.ts";
import { systemClock } from "../../../../src/base/timing/clock.ts";
import type { DataPlaneTables } from "../../../../src/features/data-plane/manager/data-plane-tables.ts";
import type { NetworkRow } from "../../../../src/features/network-statistics/contract.ts";
import { Sampler } from "../../../../src/features/network-statistics/manager/sampler.ts";
import { arrived, port, published } from "./support.ts";

interface Rig {
  /** What each host has counted. */
  readonly hosts: Record<string, NetworkRow[]>;
  readonly subscribers?: readonly string[];
  readonly hasService?: boolean;
}

/** The wall clock may be stepped at any time: nothing of a sample may come from it. */
const CLOCK = {
  ...systemClock,
  now: () => {
    throw new Error("a rate would be wrong after a step of the wall clock");
  },
};

/** Takes one sample; `asked`: the host of each request, and whether interfaces were asked for, too. */
async function take({ hosts, subscribers = [], hasService = false }: Rig) {
  const asked: [host: string, interfaces: boolean][] = [];
  const table = new HostTable();
  for (const [host, rows] of Object.entries(hosts)) {
    const request = async (_name: string, { interfaces }: { interfaces: boolean }) => {
      asked.push([host, interfaces]);
      const data = Buffer.from(JSON.stringify(rows.filter(({ kind }) => interfaces || kind !== "interface")));
      return { time: asked.length, next: null, data };
    };
    const command = (send: (id: string) => unknown) => send("session");
    const session = { isOpen: true, streamId: "life", forwards: [], link: { host, request }, command };
    table.set(host, { controller: { session } } as never);
  }
  const instances = [{ broker: { host: "b" }, record: { name: "adder", endpoints: [{ subject: "svc.adder.add" }] } }];
  const tables = {
    subjects: () => ["topic.arm.state"],
    subscribers: () => subscribers.map((host) => ({ broker: { host } })),
    hostOf: ({ broker }: { broker: { host: string } }) => broker.host,
    topic: () => ({ resource: { name: "arm/state" } }),
    allInstances: () => (hasService ? instances : []),
  } as unknown as DataPlaneTables;
  const sample = await new Sampler({ clock: CLOCK, hosts: table, tables, hub: null, peers: null }).sample();
  return { asked, sample };
}

it("hosts without messages are read once; publishers and subscribers again, after all others, without their interfaces", async () => {
  const hosts = { idle: [port("eth0")], a: [port("eth0"), published(5)], b: [port("eth0"), arrived(5)], late: [port("eth0")] };
  const { asked, sample } = await take({ hosts, subscribers: ["b", "late"] });
  expect(asked.slice(0, 4)).toEqual(Object.keys(hosts).map((host) => [host, true]));
  expect(asked.slice(4)).toEqual(["a", "b", "late"].map((host) => [host, false]));
  expect([...sample.hosts.keys()]).toEqual(Object.keys(hosts));
  const readings = [...sample.hosts].map(([host, { first, second }]) => [
    host,
    first === second,
    first.find("interface", "eth0") !== undefined,
  ]);
  expect(readings).toEqual([
    ["idle", true, true],
    ["a", false, true],
    ["b", false, true],
    ["late", false, true],
  ]);
});

it("with a service, all hosts are read twice: its first request may come from any of them", async () => {
  const { asked } = await take({ hosts: { a: [port("eth0")], b: [port("eth0")] }, hasService: true });
  expect(asked).toEqual([
    ["a", true],
    ["b", true],
    ["a", false],
    ["b", false],
  ]);
});
