import { randomUUID } from "node:crypto";
import { MgrError, messageOf } from "../base/errors.ts";
import { Publisher } from "../base/publisher.ts";
import { type Clock, systemClock, untilBeat } from "../base/timing/clock.ts";
import type { HostLink, HostListener } from "../contract/host-link.ts";
import {
  CONTRACT_VERSION,
  HEARTBEAT_MS,
  type HostEvent,
  type HostHeartbeat,
  type HostLog,
  type HostRequestName,
  type OutputWindows,
  type RequestOf,
  type ResponseOf,
} from "../contract/messages.ts";
import type { StreamFrame } from "../contract/streams.ts";
import { HOST_FEATURES } from "../features/host.ts";
import type { HostBus } from "./bus/host-bus.ts";
import type { SurvivingPart } from "./handover/surviving-part.ts";
import type { HostContext } from "./host-feature.ts";
import { HostFeatures } from "./host-features.ts";
import { HOST_SECTION, HostHandover, hostState } from "./host-handover.ts";
import type { HostOptions } from "./host-options.ts";
import { HostRequests } from "./host-requests.ts";
import { ListBuilder } from "./lists/list-builder.ts";
import { HostOutput } from "./output/host-output.ts";
import { bootId } from "./proc/proc.ts";
import type { HostedRun } from "./run/extinct-run.ts";
import { RunStarter } from "./run/run-starter.ts";
import { RunTable } from "./run/run-table.ts";
import { StopAnswers } from "./run/stop-answers.ts";
import { killEverything, stopEverything } from "./run/stop-everything.ts";
import { Forwarder } from "./session/forwarder.ts";
import { JoinedEnds } from "./session/joined-ends.ts";
import { ManagerLostTimer } from "./session/manager-lost-timer.ts";
import { ManagerSession, TICK_MS } from "./session/manager-session.ts";
import type { KeptRequests } from "./supervision/kept-requests.ts";
import { Supervisor } from "./supervision/supervisor.ts";
import { createGuardedReaper } from "./tree/guarded-reaper.ts";
import { TaskOwners } from "./tree/task-owners.ts";
import type { TreeReaper } from "./tree/tree-reaper.ts";

/**
 * The host carries out what a manager decides. It owns the run table, terminals, output rings and readiness checks, which work without a
 * manager. An embedding program uses it as a direct link; `bus/host-link.ts` carries it over the bus.
 */
export class Host implements HostLink {
  readonly host: string;
  readonly isDirect: boolean;
  readonly streamId: string;
  readonly #clock: Clock;
  readonly #log: (entry: HostLog) => void;
  readonly #publisher: Publisher<(listener: HostListener) => void>;
  readonly #session: ManagerSession;
  readonly #ends: JoinedEnds<HostedRun>;
  readonly #output: HostOutput;
  readonly #reaper: TreeReaper;
  readonly #runs = new RunTable<HostedRun>();
  readonly #lists: ListBuilder;
  readonly #version: string | undefined;
  readonly #bus: HostBus | null;
  readonly #features: HostFeatures;
  readonly #managerLost: ManagerLostTimer;
  readonly #forwarder: Forwarder;
  readonly #requests: HostRequests;
  /** Reason of the last refusal of a manager. */
  #refused = "";
  #seq: number;
  #ticks = 0;
  #timer: unknown = null;
  #isEnding = false;
  readonly #starter: RunStarter;
  readonly #kept: KeptRequests | undefined;
  readonly #supervisor: Supervisor<HostedRun>;
  readonly #stops: StopAnswers;
  readonly #handover: HostHandover;

  constructor(options: HostOptions) {
    const handedOver = options.taken?.[HOST_SECTION];
    const taken = handedOver && hostState.parse(handedOver.state);
    this.#seq = taken?.seq ?? 0;
    this.host = options.host;
    this.isDirect = options.isDirect ?? false;
    this.#version = options.version;
    this.#bus = options.bus ?? null;
    this.streamId = options.streamId ?? randomUUID();
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log;
    this.#publisher = new Publisher((error) =>
      options.log({ level: "error", source: "daemon", msg: `a listener of the host failed: ${messageOf(error)}` }),
    );
    this.#managerLost = new ManagerLostTimer({ clock: this.#clock, stop: (afterMs) => void this.#stopAfterManagerLost(afterMs) });
    this.#session = new ManagerSession({
      clock: this.#clock,
      isDirect: this.isDirect,
      onVoid: (reason) => this.#sessionVoided(reason),
      ...(taken === undefined ? {} : { manager: taken.manager }),
    });
    this.#ends = new JoinedEnds({
      clock: this.#clock,
      publish: (kind, run) => this.#publish(kind, run),
    });
    this.#output = new HostOutput({
      streamId: this.streamId,
      clock: this.#clock,
      ringBudget: options.ringBudget,
      kept: options.keptOutput,
      send: (chunk) => this.#publisher.publish((listener) => listener.onOutput?.(chunk)),
      hold: (name, held) => this.#starter.hold(name, held),
      log: (level, msg, about) => this.#report(level, msg, about),
      taken: taken && handedOver && { state: taken.output, handedOver },
    });
    this.#reaper =
      options.killTree ??
      createGuardedReaper({ subreaper: options.subreaper, marker: this.streamId, log: (msg) => this.#report("warning", msg) });
    this.#forwarder = new Forwarder((frame) => this.#publisher.publish((listener) => listener.onStream?.(frame)));
    this.#lists = new ListBuilder(this.#clock);
    const owners = () => new TaskOwners(this.#reaper.owners(), (runId) => this.#runs.nameOf(runId));
    const features: Omit<HostContext, "use"> = {
      host: this.host,
      clock: this.#clock,
      bus: this.#bus,
      folders: options.folders ?? null,
      streams: this.#forwarder,
      lists: this.#lists,
      output: this.#output,
      owners,
      cgroupOf: async (runId) => (await options.cgroups?.folderOf(runId)) ?? null,
      hasManager: () => this.#session.id !== null,
      replaceProgram: options.replaceProgram ?? null,
      log: (level, msg, about) => this.#report(level, msg, about),
      publish: (name, news) => this.#publisher.publish((listener) => listener.onNews?.[name]?.(news)),
    };
    this.#features = new HostFeatures(features, HOST_FEATURES, options.taken);
    void this.#features.ready.then(() => this.#bus?.admit());
    this.#starter = new RunStarter({
      streamId: this.streamId,
      runs: this.#runs,
      output: this.#output,
      bus: this.#bus,
      features: this.#features,
      runOptions: {
        reaper: this.#reaper,
        clock: this.#clock,
        probes: this.#features.probes,
        onChange: (kind, changed) => this.#runChanged(kind, changed),
        onOutput: (name, bytes) => this.#grown(name, bytes),
        log: (level, msg, about) => this.#report(level, msg, about),
      },
    });
    this.#kept = options.requests;
    this.#supervisor = new Supervisor({
      clock: this.#clock,
      runs: this.#runs,
      requests: options.requests,
      start: (run, check) => this.#start(run, check),
      log: (level, msg, about) => this.#report(level, msg, about),
    });
    this.#stops = new StopAnswers(() => ({ runs: this.#runs, supervisor: this.#supervisor }));
    this.#handover = new HostHandover({
      clock: this.#clock,
      runs: this.#runs,
      starter: this.#starter,
      output: this.#output,
      supervisor: this.#supervisor,
      session: this.#session,
      managerLost: this.#managerLost,
      seq: () => this.#seq,
    });
    this.#requests = new HostRequests({
      hello: (request) => this.#hello(request),
      checkSession: (session) => this.#session.check(session),
      streamId: this.streamId,
      clock: this.#clock,
      spawn: ({ session, after, ...run }) => {
        this.#supervisor.checkSeen(run.spec.name, run.run_id, after);
        return this.#start(run, () => this.#session.check(session));
      },
      supervisor: this.#supervisor,
      runs: this.#runs,
      stops: this.#stops,
      output: this.#output,
      lists: this.#lists,
      owners,
      forwarder: this.#forwarder,
      busUrlFile: this.#bus?.urlFile ?? null,
      features: this.#features,
      seq: () => this.#seq,
    });
    this.#tick();
    if (taken !== undefined) {
      this.#handover.take(taken, handedOver?.descriptors ?? {});
      this.#features.take(this.#runs.living);
    }
  }

  /** The host and its features, by name: they survive a replacement of the program. */
  get survivingParts(): Readonly<Record<string, SurvivingPart>> {
    const requests = this.#kept === undefined ? {} : { requests: this.#kept };
    return { [HOST_SECTION]: this.#handover, ...requests, ...this.#features.survivingParts };
  }

  /** Runs that are not extinct. */
  get livingRuns(): number {
    return this.#runs.living.length;
  }

  async request<N extends HostRequestName>(name: N, request: RequestOf<N>): Promise<ResponseOf<N>> {
    // Without a turn of its own: requests of one turn keep their order with what they change.
    if (this.#handover.gate !== null) await this.#handover.gate;
    return this.#requests.answer(name, request);
  }

  window({ session, windows }: OutputWindows): void {
    if (this.#session.isCurrent(session)) this.#output.open(windows);
  }

  /** Output stays in its rings while `hasRoom` returns false; `outputRoom` signals that there is room again. */
  paceOutput(hasRoom: (() => boolean) | null): void {
    this.#output.pace(hasRoom);
  }

  outputRoom(): void {
    this.#output.roomAgain();
  }

  heartbeat(session: string): void {
    this.#session.heartbeat(session);
  }

  stream(frame: StreamFrame): void {
    this.#forwarder.receive(frame);
  }

  listen(listener: HostListener): () => void {
    return this.#publisher.subscribe((tell) => tell(listener));
  }

  /** Sends a heartbeat at once, besides those every HEARTBEAT_MS: for a link that has just connected. */
  announce(): void {
    const heartbeat: HostHeartbeat = {
      host: this.host,
      contract: CONTRACT_VERSION,
      pid: process.pid,
      stream_id: this.streamId,
      session: this.#session.id,
      seq: this.#seq,
      ...this.#features.heartbeat,
    };
    this.#publisher.publish((listener) => listener.onHeartbeat?.(heartbeat));
  }

  /** Notifies the features that the connection to the manager ended. */
  linkLost(): void {
    this.#features.linkLost();
  }

  /** Called when runs may begin: what was requested of the previous daemon is started, unless a manager greets this one in time. */
  resume(): void {
    this.#supervisor.resume();
  }

  /** Stops everything without a manager, the highest stop_rank first, as each RunSpec defines. No new run starts. */
  async stopAll(): Promise<void> {
    this.#beginEnd();
    await this.#runs.noneStarting();
    this.#reportLeft(await stopEverything(this.#runs.living, this.#clock));
  }

  /** Kills the remaining runs and closes the host. Resolves when nothing is left. */
  async close(): Promise<void> {
    this.#beginEnd();
    this.#session.end();
    await this.#runs.noneStarting();
    this.#reportLeft(await killEverything(this.#runs.living, this.#clock));
    this.#clock.clearTimeout(this.#timer);
    this.#ends.close();
    this.#managerLost.close();
    this.#lists.close();
    await this.#kept?.close();
    await this.#features.close();
    await this.#output.close();
    await this.#reaper.close();
  }

  #beginEnd(): void {
    this.#isEnding = true;
    this.#supervisor.close();
    this.#features.ending();
  }

  /** `on_manager_lost: stop`: running processes are stopped; the manager may start them again when it is back. */
  async #stopAfterManagerLost(afterMs: number): Promise<void> {
    // From here on until the next manager, nothing is started.
    this.#supervisor.close();
    if (this.#isEnding || this.#runs.living.length === 0) return;
    this.#report("warning", `no manager for ${afterMs / 1_000} s: what runs is stopped (on_manager_lost: stop)`);
    this.#reportLeft(await stopEverything(this.#runs.living, this.#clock));
  }

  #reportLeft(left: readonly HostedRun[]): void {
    for (const run of left)
      this.#report(
        "error",
        `'${run.spec.name}' (pid ${run.pid}) did not end after SIGKILL; it is stuck in the kernel (uninterruptible sleep)`,
      );
  }

  async #hello(request: RequestOf<"hello">): Promise<ResponseOf<"hello">> {
    let session: string;
    try {
      session = this.#session.begin(request);
    } catch (error) {
      // Logged here, too: users read this log for the reason that this host is not ready. Managers retry repeatedly.
      const reason = messageOf(error);
      if (reason !== this.#refused) this.#report("warning", reason);
      this.#refused = reason;
      throw error;
    }
    // Closes the windows of readers before a replacement of the program: the manager opens its own.
    this.#output.closeWindows();
    this.#managerLost.greeted(request.stop_after_ms ?? null);
    this.#kept?.greeted((request.stop_after_ms ?? null) !== null);
    this.#features.managerGreeted(request.manager_pid);
    if (request.bus !== undefined) this.#bus?.follow(request.bus);
    // The manager's first report has what the host started without it.
    await this.#supervisor.sessionBegan();
    const { last } = this.#supervisor;
    const { kept, rings } = this.#output;
    return {
      session,
      contract: CONTRACT_VERSION,
      pid: process.pid,
      boot_id: bootId(),
      stream_id: this.streamId,
      seq: this.#seq,
      time: this.#clock.now(),
      ...(kept === null ? {} : { output_from: rings.origin, previous_end: kept.previousEnd }),
      ...(this.#version === undefined ? {} : { version: this.#version }),
      ...(last === undefined ? {} : { alone: last }),
    };
  }

  async #start(run: Pick<RequestOf<"spawn">, "run_id" | "spec" | "memo">, check: () => void): Promise<HostedRun> {
    if (this.#handover.gate !== null) await this.#handover.gate;
    return this.#starter.spawn(run, () => {
      check();
      if (!this.#isEnding) return;
      throw new MgrError("host_unavailable", `the host '${this.host}' is shutting down; no process is started any more`);
    });
  }

  #grown(name: string, bytes: Uint8Array): void {
    this.#output.grown(name);
    this.#features.output(name, bytes);
  }

  #runChanged(kind: HostEvent["kind"], run: HostedRun): void {
    this.#features.runChanged(kind, run);
    this.#ends.pass(kind, run);
    this.#supervisor.runChanged(kind, run);
  }

  #publish(kind: HostEvent["kind"], run: HostedRun): void {
    if (this.#stops.says(kind)) return;
    // The run's earlier output is sent first (docs/design/runtime-invariants.md, "Exit after output").
    this.#output.pump(run.spec.name);
    this.#seq += 1;
    const event: HostEvent = { seq: this.#seq, kind, run: run.report };
    this.#publisher.publish((listener) => listener.onEvent?.(event));
  }

  #sessionVoided(reason: string): void {
    this.#output.closeWindows();
    this.#forwarder.closeAll("the manager's session ended");
    this.#features.managerLost();
    this.#report("debug", `the manager's session ended: ${reason}`);
    if (!this.#isEnding) {
      this.#managerLost.lost();
      this.#supervisor.sessionEnded();
    }
    this.announce();
  }

  #tick(): void {
    this.#session.tick();
    this.#output.beat();
    if ((this.#ticks++ * TICK_MS) % HEARTBEAT_MS === 0) this.announce();
    this.#timer = this.#clock.setTimeout(() => this.#tick(), untilBeat(TICK_MS, this.#clock.monotonic()));
  }

  #report(level: HostLog["level"], msg: string, about?: readonly string[]): void {
    const entry: HostLog = { level, source: "daemon", msg, ...(about ? { about: [...about] } : {}) };
    this.#log(entry);
    this.#publisher.publish((listener) => listener.onLog?.(entry));
  }
}
