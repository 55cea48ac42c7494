import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import type { NetworkInterface, NetworkLink, NetworkStats } from "../../../src/features/network-statistics/wire.ts";
import type { Client } from "../support/client.ts";
import type { Fleet } from "../support/fleet.ts";

/** Figures may differ so much from the truth. */
const TOLERANCE = 0.03;
/** Requests within this time share a sample, milliseconds; and a little more. */
const SHARED_MS = 250;
/** The same counters of an interface, in the order of `/proc/net/dev` and as the rows name them. */
const COLUMNS = { rx_bytes_s: 0, rx_packets_s: 1, rx_errors_s: 2, rx_drops_s: 3, tx_bytes_s: 8, tx_packets_s: 9, tx_drops_s: 11 } as const;

/** What the kernel of a machine has counted so far. */
export interface Truth {
  /** By interface, the columns of `/proc/net/dev`. */
  readonly interfaces: ReadonlyMap<string, readonly number[]>;
  /** Datagrams of which the kernel says that no program could get them. */
  readonly udpErrors: number;
  /** Of the connections between this machine and the one at `peer`. */
  readonly tcp: { readonly acknowledged: number; readonly received: number; readonly segments: number; readonly retransmits: number };
}

/** What is asked for now gets a sample of its own. */
export const aNewSample = () => pause(SHARED_MS);

export async function truthOf(fleet: Fleet, machine: string, peer: string): Promise<Truth> {
  const text = await fleet.exec(machine, "sh", "-ec", `cat /proc/net/dev; cat /proc/net/snmp; ss -tinHO state established dst ${peer}`);
  const interfaces = new Map<string, number[]>();
  for (const [, name = "", numbers = ""] of text.matchAll(/^ *([a-z0-9]+): *([\d ]+)$/gm))
    interfaces.set(name, numbers.trim().split(/ +/).map(Number));
  const [, errors = 0] = /^Udp: \d+ \d+ (\d+)/m.exec(text) ?? [];
  const sum = (key: RegExp) => [...text.matchAll(key)].reduce((total, [, value]) => total + Number(value), 0);
  const tcp = {
    acknowledged: sum(/ bytes_acked:(\d+)/g),
    received: sum(/ bytes_received:(\d+)/g),
    segments: sum(/ data_segs_out:(\d+)/g),
    retransmits: sum(/ retrans:\d+\/(\d+)/g),
  };
  return { interfaces, udpErrors: Number(errors), tcp };
}

/**
 * Traffic between two samples, and the truth about it. A sample is taken at an unknown moment between its request and its answer: the time
 * and the kernel's counters are read before the request and after the answer, so that no statement about a rate depends on speed.
 */
export class Stretch {
  readonly stats: NetworkStats;
  /** Least and most time that can have passed between the samples, milliseconds. */
  readonly #time: readonly [least: number, most: number];
  readonly #truths: readonly ReadonlyMap<string, Truth>[];

  private constructor(stats: NetworkStats, time: readonly [number, number], truths: readonly ReadonlyMap<string, Truth>[]) {
    this.stats = stats;
    this.#time = time;
    this.#truths = truths;
  }

  /** `read`: the truth of each machine. */
  static async measure(client: Client, read: () => Promise<ReadonlyMap<string, Truth>>, traffic: () => Promise<void>): Promise<Stretch> {
    const sample = async () => {
      await aNewSample();
      const [before, begin] = [await read(), performance.now()];
      const answer = await client.ask({ type: "request_network_stats", sample_mode: "previous" });
      const end = performance.now();
      const after = await read();
      expect(answer).toMatchObject({ ok: true });
      return { truths: [before, after], begin, end, stats: answer.stats as NetworkStats };
    };
    const one = await sample();
    await traffic();
    const other = await sample();
    expect(other.stats.sample_seconds * 1_000).toBeGreaterThanOrEqual(other.begin - one.end - 1);
    expect(other.stats.sample_seconds * 1_000).toBeLessThanOrEqual(other.end - one.begin + 1);
    return new Stretch(other.stats, [other.begin - one.end, other.end - one.begin], [...one.truths, ...other.truths]);
  }

  link(from: string, to: string): NetworkLink {
    const found = this.stats.links.find(({ from_host, to_host }) => from_host === from && to_host === to);
    if (!found) throw new Error(`there is no link from ${from} to ${to}: ${JSON.stringify(this.stats.links)}`);
    return found;
  }

  child(from: string, to: string, kind: string, name: string): NetworkLink["children"][number] {
    const { children } = this.link(from, to);
    const found = children.find((one) => one.kind === kind && one.name === name);
    if (!found) throw new Error(`the link from ${from} to ${to} has no ${kind} '${name}': ${JSON.stringify(children)}`);
    return found;
  }

  /** Of all links from or to a host. */
  sum(end: "from_host" | "to_host", host: string, key: "bytes_s" | "measured_bytes_s"): number {
    return this.stats.links.reduce((total, link) => (link[end] === host ? total + link[key] : total), 0);
  }

  interface(host: string, name: string): NetworkInterface {
    const found = this.stats.interfaces.find((row) => row.host === host && row.interface === name);
    if (!found) throw new Error(`there is no interface ${name} of ${host}`);
    return found;
  }

  problems(kind: string): NetworkStats["problems"] {
    return this.stats.problems.filter((problem) => problem.kind === kind);
  }

  /** `rate` is that of something that happened so often in the whole stretch, between the samples. */
  expectRate(what: string, rate: number, count: number): void {
    this.#expectBetween(what, rate, count, count);
  }

  /** `rate` is that of a counter of the kernel. */
  expectKernel(what: string, rate: number, of: (truths: ReadonlyMap<string, Truth>) => number): void {
    const [first = 0, begin = 0, end = 0, last = 0] = this.#truths.map(of);
    this.#expectBetween(what, rate, end - begin, last - first);
  }

  /** All counters of an interface. */
  expectInterface(host: string, name: string): void {
    const row = this.interface(host, name);
    for (const [key, column] of Object.entries(COLUMNS)) {
      const of = (truths: ReadonlyMap<string, Truth>) => truths.get(host)?.interfaces.get(name)?.[column] ?? Number.NaN;
      this.expectKernel(`${key} of ${name} of ${host}`, row[key as keyof typeof COLUMNS], of);
    }
  }

  #expectBetween(what: string, rate: number, least: number, most: number): void {
    const [shortest, longest] = this.#time;
    const [low, high] = [(1 - TOLERANCE) * ((least * 1_000) / longest), (1 + TOLERANCE) * ((most * 1_000) / shortest)];
    // Rates are rounded to a thousandth.
    const isTrue = rate >= low - 0.001 && rate <= high + 0.001;
    expect(isTrue, `${what}: ${rate} a second, not between ${low} and ${high}`).toBe(true);
  }
}
