import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { FlightHost, Incident } from "../../../src/features/flight/wire.ts";
import { readIndexed } from "../../features/recordings/samples/mcap/indexed-reader.ts";
import type { Client, ProcessView } from "../support/client.ts";
import { Fleet } from "../support/fleet.ts";
import { clockAhead } from "../support/shifted-clock.ts";
import { eventually } from "../support/wait.ts";
import { compared, type Journal, readJournal } from "./journals.ts";

const execute = promisify(execFile);
const PUBLISHER = fileURLToPath(new URL("../../fixtures/journaled-samples.js", import.meta.url));
const PYTHON_READER = fileURLToPath(new URL("../../features/flight/host/read_mcap.py", import.meta.url));
/** The clock of the first remote host is ahead by this time, seconds. */
const AHEAD_S = 1.3;
const NS_PER_S = 1_000_000_000n;
/** A trigger this long after the end of an incident does not belong to it, and is not quiet any more, milliseconds. */
const JOINED_MS = 1_500;
/** Printed by a publisher. */
const PRINTED = /sample (\d+)\r\n/g;

interface TrialOptions {
  /** Hosts, that of the manager included. */
  readonly hosts: number;
  readonly publishers: number;
  /** Samples of each publisher a second, a multiple of 10. */
  readonly rate: number;
  /** Bytes of a sample. */
  readonly bytes: number;
  /** Seconds. */
  readonly before: number;
  readonly after: number;
}

interface Publisher {
  readonly name: string;
  readonly topic: string;
  readonly host: string;
  readonly journal: string;
}

/** What the file of an incident has, compared with the journals. Times are milliseconds. */
export interface Judged {
  /** Samples that were published in the time of the incident, and those of them that are not in the file. */
  readonly expected: number;
  readonly lost: number;
  readonly disordered: number;
  /** Printed lines of the same time that are in no terminal. */
  readonly unprinted: number;
  readonly terminals: number;
  /** By host: the offset of its clock in the file minus the true one, and the uncertainty in the file. */
  readonly clocks: Readonly<Record<string, { readonly error: number; readonly uncertainty: number }>>;
}

/** Hosts in namespaces, one of them with a wrong clock, and publishers that keep journals; each host has a process to be killed. */
export class FlightTrial implements AsyncDisposable {
  readonly fleet: Fleet;
  client: Client;
  readonly publishers: readonly Publisher[];
  readonly hosts: readonly string[];

  private constructor(parts: Pick<FlightTrial, "fleet" | "client" | "publishers" | "hosts">) {
    this.fleet = parts.fleet;
    this.client = parts.client;
    this.publishers = parts.publishers;
    this.hosts = parts.hosts;
  }

  static async up({ hosts: count, publishers: wanted, rate, bytes, before, after }: TrialOptions): Promise<FlightTrial> {
    const remote = Array.from({ length: count - 1 }, (_, n) => `h${n + 1}`);
    const hosts = [hostname(), ...remote];
    const [wrong = ""] = remote;
    const shift = clockAhead(AHEAD_S);
    const fleet = await Fleet.up({
      hosts: remote,
      environments: { [wrong]: shift },
      flight: {
        memory: "256MiB",
        triggers: { killed: { on: "crash", before: `${before}s`, after: `${after}s`, quiet: "1ms" } },
      },
      processes: {},
    });
    try {
      const publishers = Array.from({ length: wanted }, (_, n) => {
        const host = hosts[n % hosts.length] ?? "";
        return { name: `publishers/p${n}`, topic: `trial/p${n}`, host, journal: join(fleet.dir, `journal-${n}`) };
      });
      const onHost = (host: string) => ({
        node: remote.includes(host) ? host : "localhost",
        autostart: true,
        ...(host === wrong ? { environment: shift } : {}),
      });
      const publishing = publishers.map(({ name, topic, host, journal }) => {
        const command = [process.execPath, PUBLISHER, topic, String(rate), String(bytes), journal];
        return [name, { command, ...onHost(host), ready: { regex: "sample" } }] as const;
      });
      const victims = hosts.map((host) => [`victims/${host}`, { command: "sleep 100000", ...onHost(host) }] as const);
      fleet.write({ ...Object.fromEntries(victims), ...Object.fromEntries(publishing) });
      await fleet.mgr("reload");
      const client = await fleet.connect();
      const trial = new FlightTrial({ fleet, client, publishers, hosts });
      await eventually("all hosts are connected", async () => {
        const { processes } = (await client.snapshot()) as unknown as { processes: ProcessView[] };
        return processes.length === count + wanted && processes.every(({ host_ready }) => host_ready);
      });
      await fleet.mgr("start", "publishers", "victims");
      await trial.#ringsReachBack(before);
      return trial;
    } catch (error) {
      await fleet[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Starts a process that was killed, when no trigger belongs to an earlier incident any more. */
  async revive(name: string): Promise<void> {
    const { incidents } = (await this.client.ask({ type: "request_incidents" })) as unknown as { incidents: Incident[] };
    const ends = incidents.map(({ until }) => Date.parse(`${until}Z`));
    await eventually("earlier incidents are over", () => Date.now() > Math.max(0, ...ends) + JOINED_MS);
    for (const { id } of incidents) await this.client.ask({ type: "delete_incident", id });
    if ((await this.client.process(name)).pid !== null) return;
    const from = this.client.here;
    await this.client.command({ type: "start_process", name });
    await this.client.untilState(name, "started", from);
  }

  async restartManager(): Promise<void> {
    await this.fleet.startManager();
    this.client = await this.fleet.connect();
  }

  /** Kills a process on its host, as the kernel would, without the manager. */
  killPid(host: string, pid: number): void {
    this.fleet.signal(host === this.hosts[0] ? "manager" : host, pid);
  }

  /** The incident about a process, when it is complete; `isEnough` may ask for more. */
  async incident(about: string, isEnough: (incident: Incident) => boolean = () => true): Promise<Incident> {
    let last = "none";
    return eventually(
      `the incident about ${about} is complete`,
      async () => {
        const { incidents } = (await this.client.ask({ type: "request_incidents" })) as unknown as { incidents: Incident[] };
        const found = incidents.find(({ triggers }) => triggers.some(({ text }) => text.includes(about)));
        last = JSON.stringify(found);
        return found?.state === "complete" && isEnough(found) ? found : null;
      },
      120_000,
    ).catch((error: unknown) => {
      throw new Error(`its state: ${last}`, { cause: error });
    });
  }

  /** Downloads the file of an incident. */
  async save(id: string): Promise<string> {
    const path = join(this.fleet.dir, `${id}.mcap`);
    writeFileSync(path, await this.fleet.get(`/mgr/incident?${new URLSearchParams({ id })}`));
    return path;
  }

  /** Compares a file with the journals, as @mcap/core reads it. `hosts`: those whose parts are to be in it. */
  async judge(path: string, hosts = this.hosts): Promise<Judged> {
    const { messages, metadata } = await readIndexed(path);
    const about = (name: string) => metadata.findLast((each) => each.name === name)?.values ?? {};
    const { from = "", until = "" } = about("mgr.incident");
    const clocks: Record<string, { error: number; uncertainty: number }> = {};
    let [expected, lost, disordered, unprinted, terminals] = [0, 0, 0, 0, 0];
    for (const host of hosts) {
      const { offset_ns = "", uncertainty_ns = "" } = about(`mgr.incident.host/${host}`);
      if (uncertainty_ns === "") throw new Error(`the clock of ${host} was not measured`);
      const error = Number(offset_ns) - Number(this.ahead(host));
      clocks[host] = { error: error / 1e6, uncertainty: Number(uncertainty_ns) / 1e6 };
    }
    const numbers = new Map<string, number[]>();
    const text = new Map<string, string>();
    for (const { topic, data } of messages) {
      if (topic.startsWith("trial/")) {
        const own = numbers.get(topic) ?? [];
        numbers.set(topic, own);
        own.push((JSON.parse(String(data)) as { n: number }).n);
      }
      if (topic.startsWith("mgr/terminal/")) text.set(topic, (text.get(topic) ?? "") + String(data.subarray(8)));
    }
    for (const { topic, name, host, journal } of this.publishers) {
      if (!hosts.includes(host)) continue;
      // The edges of the time are as exact as the clocks were known when the incident began, which the file does not say.
      const slack = BigInt(Math.ceil((clocks[host]?.uncertainty ?? 0) * 2e6)) + EDGE_NS;
      const [begin, end] = [BigInt(from) + this.ahead(host) + slack, BigInt(until) + this.ahead(host) - slack];
      const known = readJournal(journal);
      const own = numbers.get(topic) ?? [];
      const verdict = compared(known, own, begin, end);
      expected += verdict.expected;
      lost += verdict.lost.length;
      disordered += verdict.disordered.length;
      const shown = text.get(`mgr/terminal/${name}`);
      if (shown === undefined) continue;
      terminals++;
      unprinted += missingLines(known, shown);
    }
    return { expected, lost, disordered, unprinted, terminals, clocks };
  }

  /** What Python's standard library finds in a file. */
  async python(path: string): Promise<{ messages: Record<string, number>; metadata: Record<string, Record<string, string>> }> {
    return JSON.parse((await execute("python3", [PYTHON_READER, path], { maxBuffer: 16 * 1024 * 1024 })).stdout);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.fleet[Symbol.asyncDispose]();
  }

  /** The true offset of the clock of a host, nanoseconds. */
  ahead(host: string): bigint {
    return host === this.hosts[1] ? BigInt(AHEAD_S * 10) * (NS_PER_S / 10n) : 0n;
  }

  /** Waits until all rings have samples of this many seconds, and all clocks are measured. */
  async #ringsReachBack(seconds: number): Promise<void> {
    const begin = Date.now();
    await eventually(
      "the rings reach back as far as incidents do",
      async () => {
        const { hosts } = (await this.client.ask({ type: "request_flight_hosts" })) as unknown as { hosts: FlightHost[] };
        const isKnown = hosts.length === this.hosts.length && hosts.every(({ uncertainty_ms }) => uncertainty_ms !== null);
        return isKnown && Date.now() - begin > seconds * 1_000;
      },
      60_000 + seconds * 1_000,
    );
  }
}

/**
 * The time between the clock of a publisher and that of its broker, which both read the same one; and how much less exactly a clock was known when
 * the incident began, by a manager that had just started on a busy machine.
 */
const EDGE_NS = 500_000_000n;

/** Of the lines between the first and the last one of a terminal, those that are not there. */
function missingLines({ published }: Journal, shown: string): number {
  const printed = [...shown.matchAll(PRINTED)].map(([, number]) => Number(number));
  const [first = 0, second = first] = printed;
  const [last = first] = printed.slice(-1);
  if (last >= published.length || second === first) throw new Error(`a terminal shows ${printed.length} lines, the last of sample ${last}`);
  return (last - first) / (second - first) + 1 - new Set(printed).size;
}
