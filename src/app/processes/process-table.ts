import type { Greeting } from "../../actors/host-machine.ts";
import { runLives, treeLives } from "../../actors/process/process-context.ts";
import type { ProcessSnapshot } from "../../actors/process/process-machine.ts";
import { type Surroundings, toProcess } from "../../actors/resources.ts";
import type { ActorSystem } from "../../actors/system.ts";
import { isWithin } from "../../base/text/names.ts";
import type { Config, ProcessDefinition } from "../../config/definition.ts";
import type { RunCheck, RunReport } from "../../contract/run.ts";
import { UP_STATES } from "../../protocol/process/process-state.ts";
import { HOST_STATES } from "../../protocol/resources/host.ts";
import {
  type HostEntry,
  isRunningState,
  type Process,
  type ProcessState,
  type ProcessTreeNode,
} from "../../protocol/resources/resources.ts";
import type { HostedProcesses } from "../hosts/hosted-processes.ts";
import { ProcessPlacement } from "../hosts/process-placement.ts";
import type { CurrentConfig } from "./current-config.ts";
import { type DependencyFacts, type DependencyGraph, type Unmet, unmetDependencies } from "./dependencies.ts";
import type { RunSpecBuilder } from "./run-spec-builder.ts";
import { ShownProcesses } from "./shown-processes.ts";

interface ProcessRegistryOptions {
  current: CurrentConfig;
  runSpecs: RunSpecBuilder;
  system: ActorSystem;
  /** Canonical name of the manager's own host. */
  hostName: string;
  /** The managed hosts, by canonical name. */
  hosts: ReadonlyMap<string, unknown>;
  /** See `Surroundings`. */
  featureFields: Surroundings["featureFields"];
}

/** The state of the manager's actors, projected to resources. Read only; every answer is current as of this turn. */
export class ProcessTable implements HostedProcesses {
  /** See `CurrentConfig`. */
  readonly retiring: CurrentConfig["retiring"];
  readonly graph: DependencyGraph;
  readonly hostName: string;
  readonly #system: ActorSystem;
  readonly #hosts: ReadonlyMap<string, unknown>;
  readonly #placement: ProcessPlacement;
  readonly #current: CurrentConfig;
  readonly #runSpecs: RunSpecBuilder;
  readonly #featureFields: Surroundings["featureFields"];
  /** Projections by the snapshot they were made from: 1,000 processes are not projected again for each client. */
  readonly #shown: ShownProcesses;
  /** Processes whose actor may have a newer state than what is shown. */
  readonly #outdated = new Set<string>();
  /** Checks that features of the hosts have made of a run of each process; a process without any is missing. */
  readonly #checks = new Map<string, { readonly runId: string; readonly checks: readonly RunCheck[] }>();
  /** Processes whose actor is parked. */
  readonly #parked = new Set<string>();

  constructor({ current, runSpecs, system, hostName, hosts, featureFields }: ProcessRegistryOptions) {
    this.#featureFields = featureFields;
    this.#current = current;
    this.#shown = new ShownProcesses(current.config);
    this.graph = current.graph;
    this.retiring = current.retiring;
    this.#runSpecs = runSpecs;
    this.hostName = hostName;
    this.#system = system;
    this.#hosts = hosts;
    this.#placement = new ProcessPlacement({
      config: () => this.config,
      hostName,
      snapshot: (name) => this.#snapshot(name),
      shown: (name) => (this.#parked.has(name) ? (this.#shown.get(name)?.host ?? null) : null),
    });
  }

  get config(): Config {
    return this.#current.config;
  }

  /** Replaces the current configuration. */
  replaceConfig(config: Config): void {
    this.#current.config = config;
    this.#shown.configure(config);
  }

  /** Removes the displayed state of a process that is gone. */
  forget(name: string): void {
    this.#shown.delete(name);
    this.#outdated.delete(name);
    this.#parked.delete(name);
    this.#checks.delete(name);
    this.#runSpecs.forget(name);
    this.#placement.forget(name);
  }

  /** Drops all projections: something that all processes show has changed. */
  projectAgain(): void {
    for (const name of this.config.processes.keys()) this.forgetProjection(name);
    this.#runSpecs.forgetAll();
  }

  /** Forgets the resource of a process: the fields of a feature in it have changed. */
  forgetProjection(name: string): void {
    this.#shown.outdate(name);
    this.#outdated.add(name);
  }

  /** Called when the actor of a process may have a new state that is not published yet. */
  acted(name: string): void {
    this.#outdated.add(name);
  }

  names(): string[] {
    return [...this.config.processes.keys()];
  }

  /** The processes below a group, in configuration order. */
  membersOf(group: string): string[] {
    return this.names().filter((name) => isWithin(name, group));
  }

  /** All processes, in configuration order. */
  processes(): Process[] {
    this.#refresh();
    return this.#shown.list();
  }

  process(name: string): Process | undefined {
    this.#outdated.delete(name);
    const snapshot = this.#snapshot(name);
    // A process without an actor is parked, or being rebuilt: its last displayed state is still valid.
    if (!snapshot) return this.#shown.get(name);
    const known = this.#shown.madeFrom(name, snapshot);
    if (known !== undefined) return known;
    const host = this.hostOf(name) ?? this.hostName;
    const startTools = this.config.instance.start_tools;
    const needsRestart = this.#runSpecs.needsRestart(name, snapshot.context);
    const hostReady = this.isHostReady(host);
    const process = toProcess(snapshot.context, { host, hostReady, startTools, needsRestart, featureFields: this.#featureFields });
    this.#shown.set(name, process, snapshot);
    return process;
  }

  /** Parks the actor of `name`: shown as `error`, with pid and requested state kept (docs/design/runtime-invariants.md, "Actors"). */
  park(name: string, shown: { process: Process; pid: number | null; reason: string; time: string }): void {
    const { process, pid, reason, time } = shown;
    this.#parked.add(name);
    this.#shown.set(name, { ...process, pid, state: "error", exit: { code: null, signal: null, reason, time } }, null);
  }

  isParked(name: string): boolean {
    return this.#parked.has(name);
  }

  /** Removes the parked state of `name`, whose actor has been rebuilt. */
  unpark(name: string): void {
    this.#parked.delete(name);
  }

  tree(scope?: string): ProcessTreeNode[] {
    this.#refresh();
    return scope === undefined ? this.#shown.tree.nodes() : this.#shown.tree.part(scope);
  }

  isHostReady(host = this.hostName): boolean {
    return this.#system.get("host", host)?.getSnapshot().matches("ready") ?? false;
  }

  /** Whether the daemon of the manager's own host uses another contract version: waiting will not make it ready. */
  isIncompatible(): boolean {
    return this.hostState(this.hostName).state === "incompatible";
  }

  hostState(host: string): { state: HostEntry["state"]; greeting: Greeting | null } {
    const snapshot = this.#system.get("host", host)?.getSnapshot();
    if (!snapshot) return { state: "absent", greeting: null };
    return { state: HOST_STATES.find((state) => snapshot.matches(state)) ?? "absent", greeting: snapshot.context.greeting };
  }

  /** Canonical name of the host that `name` runs on, or would run on; null if there is no such process. */
  hostOf(name: string): string | null {
    return this.#placement.hostOf(name);
  }

  /** The host that has the output of its newest run. */
  outputHostOf(name: string): string | null {
    const host = this.#placement.lastHostOf(name);
    return host !== null && !this.#hosts.has(host) ? this.hostOf(name) : host;
  }

  /** Whether a report from `host` applies to `name`. */
  concerns(name: string, host: string): boolean {
    return this.#placement.hostOf(name) === host || this.#placement.lastHostOf(name) === host;
  }

  /** Processes that run on `host`, or would run there, in the order of the configuration. */
  namesAt(host: string): string[] {
    return this.#placement.namesAt(host);
  }

  /** Records that `name` may run on another host than its definition says. */
  mayRunOnOtherHost(name: string): void {
    this.#placement.mayRunOnOtherHost(name);
  }

  /** Records that `name` was expected on another host, but lives on `host`. */
  foundAt(name: string, host: string): void {
    this.#placement.foundAt(name, host);
  }

  /** Whether no host has reported yet if `name` runs. */
  isUnknown(name: string): boolean {
    return this.#snapshot(name)?.value === "unknown";
  }

  /** The run of `name` whose leader lives, or null. */
  livingRun(name: string): string | null {
    const context = this.#snapshot(name)?.context;
    return context && runLives(context) ? context.runId : null;
  }

  /** Records the checks of a run, as its host reports them. */
  noteChecks({ name, run_id, checks }: Pick<RunReport, "name" | "run_id" | "checks">): void {
    if (checks === undefined) this.#checks.delete(name);
    else this.#checks.set(name, { runId: run_id, checks });
  }

  /** The checks of the living run of `name`; none while it is being stopped. */
  checksOf(name: string): readonly RunCheck[] {
    const known = this.#checks.get(name);
    const isChecked = known !== undefined && isRunningState(this.stateOf(name)) && this.livingRun(name) === known.runId;
    return isChecked ? known.checks : [];
  }

  /** Whether nothing of `name` is alive or about to be, according to its host. */
  isGone(name: string): boolean {
    const snapshot = this.#snapshot(name);
    if (!snapshot) return !this.#parked.has(name);
    if (snapshot.value === "unknown") return !this.isHostReady(this.hostOf(name) ?? this.hostName);
    return (snapshot.value === "stopped" || snapshot.value === "error") && !treeLives(snapshot.context);
  }

  /** Whether the process is alive, and a start with `next`, by default its current definition, would use another spec. */
  needsRestart(name: string, next?: ProcessDefinition): boolean {
    const context = this.#snapshot(name)?.context;
    return context !== undefined && this.#runSpecs.needsRestart(name, context, next);
  }

  /** Whether the newest run was started by an earlier manager. */
  isAdopted(name: string): boolean {
    const context = this.#snapshot(name)?.context;
    return context !== undefined && this.#runSpecs.isAdopted(context);
  }

  /** Whether a run is alive or begins. */
  isUp(name: string): boolean {
    return UP_STATES.has(this.stateOf(name) ?? "stopped");
  }

  stateOf(name: string): ProcessState | undefined {
    return this.process(name)?.state;
  }

  unmet(name: string): Unmet {
    const definition = this.config.processes.get(name);
    return definition ? unmetDependencies(definition, (each) => this.#facts(each)) : { missing: [], impossible: null };
  }

  #facts(name: string): DependencyFacts | undefined {
    const snapshot = this.#snapshot(name);
    const process = this.process(name);
    if (!process) return undefined;
    return {
      state: process.state,
      unknown: snapshot !== undefined && (snapshot.value === "unknown" || snapshot.context.daemonDied),
      requested: process.requested_state === "start" ? "start" : "stop",
      hasReadyState: process.has_ready_state,
      lastRunSucceeded: snapshot?.context.lastRunSucceeded ?? null,
      checks: this.checksOf(name),
    };
  }

  #refresh(): void {
    for (const name of this.#outdated) this.process(name);
  }

  #snapshot(name: string): ProcessSnapshot | undefined {
    return this.#system.get("process", name)?.getSnapshot();
  }
}
