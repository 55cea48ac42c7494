import { expect, test } from "vitest";
import type { HostSession } from "../../../src/app/hosts/host-session.ts";
import { ProcessLoads } from "../../../src/app/hosts/process-loads.ts";
import { testClock } from "../../actors/support/clock.ts";

/** A host that tells what the test has put into `rows`: name, CPU in ms, bytes, processes, age in ms. */
class LoadedHost {
  rows: [string, number, number, number, number][] = [];
  asked = 0;
  time = 0;
  failure: Error | null = null;
  machine: { busy_ms: number; cpus: number } | undefined;
  readonly session: HostSession;

  constructor(host: string) {
    const request = async () => {
      if (this.failure) throw this.failure;
      this.asked++;
      return { data: Buffer.from(JSON.stringify(this.rows)), next: null, time: this.time, machine: this.machine };
    };
    const fake = { isOpen: true, link: { host, request }, command: (run: (id: string) => unknown) => run("s") };
    this.session = fake as unknown as HostSession;
  }
}

function rig(...hosts: LoadedHost[]) {
  const clock = testClock();
  return { clock, loads: new ProcessLoads({ clock, table: hosts.map(({ session }) => [session.link.host, { controller: { session } }]) }) };
}

test("CPU is the average of the run at first, then since the last sample", async () => {
  const host = new LoadedHost("bench");
  const { clock, loads } = rig(host);
  host.rows = [["a", 500, 4_096, 2, 10_000]];
  expect((await loads.now()).loads).toEqual([{ name: "a", cpu_percent: 5, memory_rss: 4_096, processes: 2 }]);
  clock.advance(2_000);
  host.time = 2_000;
  host.rows = [
    ["a", 2_000, 8_192, 1, 12_000],
    ["b", 100, 1, 1, 1_000],
  ];
  expect((await loads.now()).loads).toEqual([
    { name: "a", cpu_percent: 75, memory_rss: 8_192, processes: 1 },
    { name: "b", cpu_percent: 10, memory_rss: 1, processes: 1 },
  ]);
});

test("a new run of the same name begins at its own start", async () => {
  const host = new LoadedHost("bench");
  const { clock, loads } = rig(host);
  host.rows = [["a", 500, 1, 1, 10_000]];
  await loads.now();
  clock.advance(2_000);
  host.time = 2_000;
  host.rows = [["a", 1_000, 1, 1, 1_000]];
  expect((await loads.now()).loads).toMatchObject([{ cpu_percent: 100 }]);
});

test("simultaneous requests share a sample; without requests there is no sampling", async () => {
  const host = new LoadedHost("bench");
  const { clock, loads } = rig(host);
  host.rows = [["a", 1, 1, 1, 10]];
  const [one, two] = await Promise.all([loads.now(), loads.now()]);
  expect(one).toEqual(two);
  clock.advance(499);
  await loads.now();
  expect(host.asked).toBe(1);
  clock.advance(3_600_000);
  expect(host.asked).toBe(1);
  await loads.now();
  expect(host.asked).toBe(2);
});

test("a host that does not answer costs its own processes only", async () => {
  const [near, far] = [new LoadedHost("near"), new LoadedHost("far")];
  const { loads } = rig(near, far);
  near.rows = [["a", 0, 1, 1, 10]];
  far.failure = new Error("unknown request 'loads' to a host");
  expect((await loads.now()).loads).toEqual([{ name: "a", cpu_percent: 0, memory_rss: 1, processes: 1 }]);
});

test("the CPU of a machine is that of all its CPUs since the last sample, and unknown in the first one", async () => {
  const [bench, old] = [new LoadedHost("bench"), new LoadedHost("old")];
  const { clock, loads } = rig(bench, old);
  bench.machine = { busy_ms: 50_000, cpus: 4 };
  expect((await loads.now()).hosts).toEqual([]);
  clock.advance(2_000);
  bench.time = old.time = 2_000;
  bench.machine = { busy_ms: 53_000, cpus: 4 };
  expect((await loads.now()).hosts).toEqual([{ host: "bench", cpu_percent: 37.5, cpus: 4 }]);
});
