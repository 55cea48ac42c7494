import type { HostSession } from "../../../app/hosts/host-session.ts";
import type { HostTable } from "../../../app/hosts/host-table.ts";
import { MgrError } from "../../../base/errors.ts";
import { type Clock, pause } from "../../../base/timing/clock.ts";
import { withFallback } from "../../../base/timing/wait.ts";
import { subjectOfTopic, topicNameProblem } from "../../../base/topics/topic-subject.ts";
import type { AnswerOf, FrameOf } from "../../../protocol/frames/frames.ts";
import type { ManagerDataPlane } from "../../data-plane/manager/index.ts";
import type { Flight } from "../../flight/manager/index.ts";
import type { HostLatency } from "../contract.ts";
import { DEFAULT_SECONDS, MAX_CHAIN } from "../limits.ts";
import type { LatencyStage } from "../wire.ts";
import { inMs, shownPath, shownThreads } from "./figures.ts";
import { offsetBetween, readHost } from "./host-clocks.ts";

/** Longest time in which the chains of a topic are found out, before they are measured, milliseconds. */
const DISCOVERY_MS = 1_000;
/** Time limit for a host to report its clock and threads, milliseconds: clients wait for the result of all. */
const READING_MS = 2_000;

export type LatencyRequest = Omit<FrameOf<"measure_topic_latency">, "type" | "request_id">;
export type LatencyResult = Omit<Extract<AnswerOf<"measure_topic_latency">, { ok: true }>, "type" | "request_id" | "ok" | "name">;

/** Rejects with `not_found` for a topic that is not published, `host_unavailable`, and `busy`. */
export interface TopicLatency {
  measure(request: LatencyRequest): Promise<LatencyResult>;
}

interface TopicLatencyOptions {
  readonly dataPlane: Pick<ManagerDataPlane, "tables" | "hostOf">;
  readonly hosts: Pick<HostTable, "session">;
  readonly flight: Pick<Flight, "list">;
  readonly clock: Clock;
  /** Time by the clock of the manager, nanoseconds since 1970. */
  readonly now: () => bigint;
}

type HostReading = Awaited<ReturnType<typeof readHost>>;

/** Measures topics on the hosts of their publishers. */
export class ManagerTopicLatency implements TopicLatency {
  readonly #options: TopicLatencyOptions;
  readonly #end = new AbortController();

  constructor(options: TopicLatencyOptions) {
    this.#options = options;
  }

  async measure({ name, chain, sample_seconds = DEFAULT_SECONDS, limit_ms }: LatencyRequest): Promise<LatencyResult> {
    const { clock } = this.#options;
    const { host, limits } = this.#topic(name);
    const wanted = chain === undefined ? null : chainTo(name, chain);
    const limit = limit_ms ?? leastLimit(limits.map(({ max_latency_ms }) => max_latency_ms));
    const session = this.#session(host);
    const run = { name, chain: wanted, late_ns: limit === null ? null : limit * 1e6 };
    const found = wanted ?? (await this.#discover(session, run, Math.min(DISCOVERY_MS, sample_seconds * 500)));
    const topics = [...new Set([...found, name])];
    const before = await this.#readings(topics, host);
    const clocks = topics.flatMap((topic) => {
      const offset = this.#offset(topic, host, before);
      return offset === null ? [] : [{ topic, ahead_ns: Number(offset.offset) }];
    });
    const began = clock.monotonic();
    const measured = await this.#run(session, { ...run, clocks }, sample_seconds * 1_000);
    const seconds = (clock.monotonic() - began) / 1_000;
    const all = [...new Set([...topics, ...measured.paths.flatMap((path) => path.topics)])];
    // Programs that were found only meanwhile have no first reading.
    const after = await this.#readings(topics, host);
    const { messages, lost, unstamped, late, one_in, other_paths, unmatched } = measured;
    const paths = measured.paths.map((path) => shownPath(path, before.get(host)?.offset?.offset ?? 0n));
    const worst = paths[0]?.total.worst.until;
    return {
      ...{ sample_seconds: Math.round(seconds * 1_000) / 1_000, host, messages, lost, unstamped, limit_ms: limit, late, one_in },
      ...{ paths, other_paths, unmatched },
      stages: all.map((topic) => this.#stage(topic, { host, before, after, seconds })),
      incident:
        worst === undefined ? null : (this.#options.flight.list().find(({ from, until }) => from <= worst && worst <= until)?.id ?? null),
    };
  }

  close(): void {
    this.#end.abort(new MgrError("shutting_down", "the manager is shutting down"));
  }

  /** The topics that lead to the messages of a topic now. */
  async #discover(session: HostSession, run: Omit<MeasurementRun, "clocks">, ms: number): Promise<string[]> {
    const { paths } = await this.#run(session, { ...run, clocks: [] }, ms);
    return paths.flatMap(({ topics }) => topics);
  }

  async #run(session: HostSession, { name, ...run }: MeasurementRun, ms: number): Promise<HostLatency> {
    const { link } = session;
    const { id } = await session.command((own) =>
      link.request("begin_latency", { session: own, topic: name, seconds: ms / 1_000, ...run }),
    );
    await pause(this.#options.clock, ms, this.#end.signal);
    return session.command((own) => link.request("end_latency", { session: own, id }));
  }

  /** Clocks and threads of the hosts of these topics' publishers; hosts that do not answer are left out. */
  async #readings(topics: readonly string[], own: string): Promise<Map<string, HostReading>> {
    const pids = new Map<string, Set<number>>([[own, new Set()]]);
    for (const topic of topics) {
      const { host, pid } = this.#publisher(topic);
      if (host === null) continue;
      const known = pids.get(host) ?? new Set();
      pids.set(host, known);
      if (pid !== null) known.add(pid);
    }
    const read = [...pids].map(async ([host, wanted]) => {
      const session = this.#options.hosts.session(host);
      if (!session?.isOpen) return [];
      const answer = readHost(session, [...wanted], this.#options).catch(() => null);
      const reading = await withFallback(answer, READING_MS, () => null, this.#options.clock);
      return reading === null ? [] : [[host, reading] as const];
    });
    return new Map((await Promise.all(read)).flat());
  }

  #stage(
    topic: string,
    { host, before, after, seconds }: { host: string; before: Map<string, HostReading>; after: Map<string, HostReading>; seconds: number },
  ): LatencyStage {
    const publisher = this.#publisher(topic);
    const threads = (readings: Map<string, HostReading>) =>
      readings.get(publisher.host ?? "")?.processes.find(({ pid }) => pid === publisher.pid)?.threads;
    const offset = this.#offset(topic, host, before);
    const first = threads(before);
    return {
      topic,
      ...publisher,
      offset_ms: offset === null ? null : inMs(Number(offset.offset)),
      uncertainty_ms: offset === null ? null : inMs(Number(offset.uncertainty)),
      threads: first === undefined ? [] : shownThreads(first, threads(after) ?? [], seconds),
    };
  }

  /** Time by which the clock of a topic's publisher is ahead of that of the measuring host. */
  #offset(topic: string, own: string, readings: ReadonlyMap<string, HostReading>) {
    const { host } = this.#publisher(topic);
    if (host === own) return { offset: 0n, uncertainty: 0n };
    return offsetBetween(readings.get(host ?? "")?.offset ?? null, readings.get(own)?.offset ?? null);
  }

  #publisher(topic: string): Pick<LatencyStage, "client" | "host" | "pid"> {
    const { dataPlane } = this.#options;
    const known = topicNameProblem(topic) === null ? dataPlane.tables.topic(subjectOfTopic(topic)) : null;
    const publisher = known?.publisher;
    if (publisher === undefined) return { client: null, host: null, pid: null };
    const { name, pid } = publisher.record;
    return { client: name, host: dataPlane.hostOf(publisher), pid: pid > 0 ? pid : null };
  }

  #topic(name: string) {
    const topic = topicNameProblem(name) === null ? this.#options.dataPlane.tables.topic(subjectOfTopic(name)) : null;
    if (topic === null) throw new MgrError("not_found", `there is no topic '${name}'`);
    const { host } = topic.known.broker;
    if (host === null)
      throw new MgrError("host_unavailable", `'${name}' is published at the manager's broker: only topics of hosts' brokers are measured`);
    return { host, limits: topic.resource.limits };
  }

  #session(host: string): HostSession {
    const session = this.#options.hosts.session(host);
    if (!session?.isOpen) throw new MgrError("host_unavailable", `host '${host}' is not connected`);
    return session;
  }
}

interface MeasurementRun {
  readonly name: string;
  readonly chain: string[] | null;
  readonly clocks: { topic: string; ahead_ns: number }[];
  readonly late_ns: number | null;
}

function chainTo(name: string, chain: readonly string[]): string[] {
  const whole = chain.at(-1) === name ? [...chain] : [...chain, name];
  if (new Set(whole).size < whole.length) throw new MgrError("bad_field", "chain: names a topic twice; a topic is once in a chain");
  if (whole.length > MAX_CHAIN)
    throw new MgrError("bad_field", `chain: a chain has at most ${MAX_CHAIN} topics, the measured one included`);
  return whole;
}

function leastLimit(limits: readonly (number | null)[]): number | null {
  const known = limits.filter((limit) => limit !== null);
  return known.length === 0 ? null : Math.min(...known);
}
