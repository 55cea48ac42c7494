import { MgrError } from "../base/errors.ts";
import { compileFnmatch } from "../base/patterns/fnmatch.ts";
import { Publisher } from "../base/publisher.ts";
import type { Clock } from "../base/timing/clock.ts";
import type { HostLink, HostListener } from "../contract/host-link.ts";
import {
  CONTRACT_VERSION,
  HEARTBEAT_MS,
  type HostEvent,
  type HostHeartbeat,
  type HostRequestName,
  type OutputWindows,
  type RequestOf,
  type ResponseOf,
} from "../contract/messages.ts";
import { OutputSender } from "../daemon/output/output-sender.ts";
import { RingStore } from "../daemon/output/ring-store.ts";
import { startupCommands } from "../daemon/process/startup-commands.ts";
import { RunTable } from "../daemon/run/run-table.ts";
import { StopAnswers } from "../daemon/run/stop-answers.ts";
import { ManagerSession, TICK_MS } from "../daemon/session/manager-session.ts";
import { KeptRequests } from "../daemon/supervision/kept-requests.ts";
import type { RequestStore } from "../daemon/supervision/request-store.ts";
import { Supervisor } from "../daemon/supervision/supervisor.ts";
import { EMPTY_ANSWERS } from "../features/contract.ts";
import type { FakeProcess, FakeProgram, FakePrograms } from "./fake-program.ts";
import { FakeRun } from "./fake-run.ts";

/** Answers of a host to the requests of a manager. */
export type HostAnswers = { [N in HostRequestName]?: (request: RequestOf<N>) => ResponseOf<N> | Promise<ResponseOf<N>> };

export interface FakeHostOptions {
  clock: Clock;
  /** Canonical name; `localhost` by default. */
  host?: string;
  /** Programs that replace the configured commands. */
  programs?: FakePrograms;
  /** Answers to requests that the fake host does not support, or that replace its own. */
  answers?: HostAnswers;
  /** The disk on which the host keeps what is requested, for its daemon after `die` and `restore` (`on_boot`). It keeps nothing if left out. */
  requests?: RequestStore;
}

const FIRST_PID = 1_000;

/**
 * A host whose processes are scripts: for a manager it behaves like a real one (sessions, run table, output by offset,
 * readiness, stops), but nothing runs, and time is its clock's. Pids count from 1000.
 */
export class FakeHost implements HostLink {
  readonly host: string;
  readonly #clock: Clock;
  readonly #programs: readonly { matches: (name: string) => boolean; program: FakeProgram }[];
  readonly #answers: HostAnswers;
  readonly #store: RequestStore | undefined;
  readonly #publisher = new Publisher<(listener: HostListener) => void>(() => {});
  readonly #counts = new Map<string, number>();
  readonly #stops = new StopAnswers(() => this.#parts);
  #life = 0;
  #parts: Life;
  #isLost = false;
  #isClosed = false;
  #ticks = 0;
  #timer: unknown = null;
  #lastPid = FIRST_PID - 1;

  constructor({ clock, host = "localhost", programs = {}, answers = {}, requests }: FakeHostOptions) {
    this.host = host;
    this.#store = requests;
    this.#clock = clock;
    this.#programs = Object.entries(programs).map(([pattern, program]) => ({
      matches: compileFnmatch(pattern),
      program: typeof program === "function" ? { script: program } : program,
    }));
    this.#parts = this.#begin();
    this.#parts.supervisor.resume();
    this.#answers = { ...this.#makeAnswers(), ...answers };
    this.#tick();
  }

  /** The newest run of a process, which the test can control. Throws `not_found` if it never ran in this life. */
  process(name: string): FakeProcess {
    const run = this.#parts.runs.newest(name);
    if (!run) throw new MgrError("not_found", `'${name}' has not been started on this host`);
    return run;
  }

  /** Makes the host unreachable: it sends nothing, and requests fail. Its processes keep running. */
  lose(): void {
    this.#isLost = true;
  }

  /** Makes the host reachable again. After `die`, its next daemon starts what was requested before, unless a manager greets it in time. */
  restore(): void {
    this.#isLost = false;
    if (!this.#parts.isServing) this.#parts.supervisor.resume();
    this.#parts.isServing = true;
    this.#announce();
  }

  /** Ends the daemon and its processes; `restore` starts another daemon. */
  die(): void {
    this.lose();
    this.#parts.supervisor.close();
    void this.#parts.requests?.close();
    for (const run of this.#parts.runs.living) run.kill();
    this.#parts = this.#begin();
    this.#parts.isServing = false;
  }

  async request<N extends HostRequestName>(name: N, request: RequestOf<N>): Promise<ResponseOf<N>> {
    // Like every host, it never answers from within the call.
    await Promise.resolve();
    if (this.#isLost || this.#isClosed) throw new MgrError("host_unavailable", `host '${this.host}' cannot be reached`);
    if ("session" in request) this.#parts.session.check(request.session);
    const answer = this.#answers[name] as ((request: RequestOf<N>) => ResponseOf<N> | Promise<ResponseOf<N>>) | undefined;
    if (!answer) throw new MgrError("host_unavailable", `the fake host has no answer to '${name}'; give it one (answers: {${name}: …})`);
    return answer(request);
  }

  window({ session, windows }: OutputWindows): void {
    const { session: known, output } = this.#parts;
    if (!this.#isLost && known.isCurrent(session)) for (const window of windows) output.set(window);
  }

  heartbeat(session: string): void {
    if (!this.#isLost) this.#parts.session.heartbeat(session);
  }

  listen(listener: HostListener): () => void {
    const unsubscribe = this.#publisher.subscribe((tell) => tell(listener));
    queueMicrotask(() => this.#announce());
    return unsubscribe;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#clock.clearTimeout(this.#timer);
    this.#parts.supervisor.close();
    for (const run of this.#parts.runs.living) run.kill();
    this.#parts.session.end();
    await this.#parts.requests?.close();
  }

  #begin(): Life {
    const streamId = `fake-${++this.#life}`;
    const rings = new RingStore();
    const runs = new RunTable<FakeRun>();
    const log = () => {};
    // A life is a boot.
    const requests = this.#store && new KeptRequests({ store: this.#store, clock: this.#clock, bootId: streamId, log });
    const life: Life = {
      streamId,
      seq: 0,
      isServing: true,
      rings,
      runs,
      requests,
      supervisor: new Supervisor({ clock: this.#clock, runs, requests, start: (run, check) => this.#spawn(life, run, check), log }),
      session: new ManagerSession({
        clock: this.#clock,
        onVoid: () => {
          life.output.clear();
          if (life === this.#parts && !this.#isClosed) life.supervisor.sessionEnded();
        },
      }),
      output: new OutputSender({
        streamId,
        findRing: (name) => rings.find(name),
        send: (chunk) => this.#notify((listener) => listener.onOutput?.(chunk)),
        // Output of scripted programs is available at once.
        hold: () => {},
      }),
    };
    return life;
  }

  #makeAnswers(): HostAnswers {
    const run = (id: string) => this.#parts.runs.byId(id);
    return {
      hello: async (request) => {
        const { session, supervisor, streamId } = this.#parts;
        const id = session.begin(request);
        this.#parts.requests?.greeted((request.stop_after_ms ?? null) !== null);
        await supervisor.sessionBegan();
        return {
          session: id,
          contract: CONTRACT_VERSION,
          pid: 1,
          boot_id: "fake",
          stream_id: streamId,
          seq: this.#parts.seq,
          time: this.#clock.now(),
          ...(supervisor.last === undefined ? {} : { alone: supervisor.last }),
        };
      },
      supervise: (request) => {
        this.#parts.supervisor.supervise(request);
        return {};
      },
      past_runs: () => ({ data: Buffer.from(JSON.stringify(this.#parts.supervisor.pastRuns)), next: null }),
      spawn: async ({ session, after, ...request }) => {
        const { supervisor, session: sessions } = this.#parts;
        supervisor.startRequested(request.spec.name);
        supervisor.checkSeen(request.spec.name, request.run_id, after);
        const { report } = await this.#spawn(this.#parts, request, () => sessions.check(session));
        supervisor.startEnded(report.name);
        return { run: report };
      },
      stop: (request) => this.#stops.stop(request),
      stop_runs: (request) => this.#stops.stopMany(request),
      signal: ({ run_id, signal }) => {
        run(run_id).signal(signal);
        return {};
      },
      write: ({ run_id, text }) => {
        run(run_id).type(text);
        return {};
      },
      resize: ({ run_id, rows, cols }) => {
        run(run_id).resize(rows, cols);
        return {};
      },
      startup_commands: async ({ spec }) => ({ commands: await startupCommands(spec, { busUrlFile: null, variables: {} }) }),
      memo: ({ run_id, memo }) => {
        run(run_id).memo = memo;
        return {};
      },
      tail: ({ name, lines, max_age_ms, ages }) => {
        const { rings, runs, streamId } = this.#parts;
        const ring = rings.find(name);
        const begin = ring?.tail(lines, max_age_ms) ?? { from: 0, truncated: false };
        return {
          stream_id: streamId,
          pid: runs.newest(name)?.pid ?? 0,
          until: ring?.end ?? 0,
          ...begin,
          ...(ages ? { ages: ring?.ages(begin.from) ?? [] } : {}),
        };
      },
      read: ({ name, from, max }) => this.#parts.rings.find(name)?.read(from, max) ?? { from: 0, data: new Uint8Array(0) },
      report: ({ after }) => ({ seq: this.#parts.seq, ...this.#parts.runs.page(after) }),
      // The manager repeats a request that is refused each second.
      ...Object.fromEntries(Object.entries(EMPTY_ANSWERS).map(([name, answer]) => [name, () => answer])),
    };
  }

  #spawn(
    life: Life,
    { run_id: runId, spec, memo }: Pick<RequestOf<"spawn">, "run_id" | "spec" | "memo">,
    check: () => void,
  ): Promise<FakeRun> {
    const { script = null, spawn_delay = 0, spawn_error } = this.#programs.find(({ matches }) => matches(spec.name))?.program ?? {};
    return life.runs.spawn(spec.name, runId, async () => {
      check();
      // As in a real host, what has begun is not given up for a session that ends.
      if (spawn_delay > 0) await new Promise<void>((resolve) => this.#clock.setTimeout(resolve, spawn_delay));
      if (spawn_error !== undefined) throw new MgrError("spawn_failed", spawn_error);
      if (this.#isClosed || life !== this.#parts) throw new MgrError("host_unavailable", `host '${this.host}' has ended`);
      const count = (this.#counts.get(spec.name) ?? 0) + 1;
      this.#counts.set(spec.name, count);
      const run = new FakeRun({
        runId,
        spec,
        memo,
        pid: ++this.#lastPid,
        count,
        clock: this.#clock,
        ring: life.rings.open(spec.name, spec.terminal.backlog),
        script,
        onChange: (kind, changed) => this.#runChanged(life, kind, changed),
        onOutput: (name) => life.output.pump(name),
      });
      this.#runChanged(life, "spawned", run);
      return run;
    });
  }

  #runChanged(life: Life, kind: HostEvent["kind"], run: FakeRun): void {
    if (life !== this.#parts || this.#isClosed) return;
    life.output.pump(run.spec.name);
    if (!this.#stops.says(kind)) {
      life.seq += 1;
      const event: HostEvent = { seq: life.seq, kind, run: run.report };
      this.#notify((listener) => listener.onEvent?.(event));
    }
    life.supervisor.runChanged(kind, run);
  }

  #tick(): void {
    this.#parts.session.tick();
    if ((this.#ticks++ * TICK_MS) % HEARTBEAT_MS === 0) this.#announce();
    this.#timer = this.#clock.setTimeout(() => this.#tick(), TICK_MS);
  }

  #announce(): void {
    const { streamId: stream_id, session, seq } = this.#parts;
    const heartbeat: HostHeartbeat = { host: this.host, contract: CONTRACT_VERSION, pid: 1, stream_id, session: session.id, seq };
    this.#notify((listener) => listener.onHeartbeat?.(heartbeat));
  }

  #notify(message: (listener: HostListener) => void): void {
    if (!this.#isLost && !this.#isClosed) this.#publisher.publish(message);
  }
}

/** The state that a daemon's death removes. */
interface Life {
  readonly streamId: string;
  seq: number;
  /** False: the daemon has not been started after the one before had died. */
  isServing: boolean;
  readonly rings: RingStore;
  readonly runs: RunTable<FakeRun>;
  readonly requests: KeptRequests | undefined;
  readonly supervisor: Supervisor<FakeRun>;
  readonly session: ManagerSession;
  readonly output: OutputSender;
}
