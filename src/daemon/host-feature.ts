import type { Clock } from "../base/timing/clock.ts";
import type { RunId } from "../contract/fields.ts";
import type { HostEvent, HostHeartbeat, HostLogWriter, HostNews, HostRequestName, RequestOf, ResponseOf } from "../contract/messages.ts";
import type { RunCheck, RunReport, RunSpec } from "../contract/run.ts";
import type { FEATURE_HEARTBEAT } from "../features/contract.ts";
import type { HostBus } from "./bus/host-bus.ts";
import type { HandedOver } from "./handover/handed-over.ts";
import type { SurvivingPart } from "./handover/surviving-part.ts";
import type { ListBuilder } from "./lists/list-builder.ts";
import type { ChildUsage } from "./native/wait-status.ts";
import type { HostOutput } from "./output/host-output.ts";
import type { ReplacementTarget } from "./replacement.ts";
import type { FeatureProbes } from "./run/probe.ts";
import type { Forwarder } from "./session/forwarder.ts";
import type { TaskOwners } from "./tree/task-owners.ts";

export type HostHandlers = { [N in HostRequestName]: (request: RequestOf<N>) => ResponseOf<N> | Promise<ResponseOf<N>> };

/** Folders of a daemon for its features. */
export interface HostFolders {
  readonly state: string;
  /** Base of relative paths in a configuration. */
  readonly work: string;
}

/** Begins the replacement of the daemon's program; resolves with the version of the new one (replacement.ts). */
export type ReplaceProgram = (target: ReplacementTarget) => Promise<string | null>;

/** The interface of a host for its features. */
export interface HostContext {
  /** Canonical name of the host. */
  readonly host: string;
  readonly clock: Clock;
  /** The host's broker; null: it has none. */
  readonly bus: HostBus | null;
  /** Folders of the daemon; null: the host keeps nothing. */
  readonly folders: HostFolders | null;
  readonly streams: Pick<Forwarder, "carry" | "counts">;
  readonly lists: ListBuilder;
  /** Rings and log files, to read. */
  readonly output: Pick<HostOutput, "rings" | "logFiles">;
  /** Returns the owners of tasks as known now; created for each list of processes. */
  readonly owners: () => TaskOwners;
  /** Resolves with the folder of the cgroup that a run has for itself, once its leader is in it; null: it has none. */
  readonly cgroupOf: (runId: RunId) => Promise<string | null>;
  readonly hasManager: () => boolean;
  /** Null: the host is part of another program. */
  readonly replaceProgram: ReplaceProgram | null;
  readonly log: HostLogWriter;
  readonly publish: <K extends keyof HostNews>(name: K, news: HostNews[K]) => void;
  /** The state that this feature handed over before the daemon replaced its program; left out: there is none. */
  readonly taken?: HandedOver;
  /** The service of another feature, which has to be before this one in `features/host.ts`. */
  readonly use: <S>(feature: HostFeature<never, S>) => S;
}

export type FeatureHeartbeat = Pick<HostHeartbeat, keyof typeof FEATURE_HEARTBEAT>;

/** A run, as features see it. */
export interface ChangedRun {
  readonly report: RunReport;
  /** The resources that its leader had used when it ended; null before that, and if they are not known. */
  readonly usage: ChildUsage | null;
  readonly spec: RunSpec;
  /** Whether the kernel wrote a core dump of its leader, or gave one to a program. */
  readonly dumpedCore: boolean;
}

export interface ProbeOfFeature extends Omit<FeatureProbes, "watch"> {
  readonly kind: string;
}

/** A feature on one host. */
export interface HostPart<Names extends HostRequestName, Service> extends Partial<SurvivingPart> {
  /** The interface for other features. */
  readonly service: Service;
  readonly handlers: Pick<HostHandlers, Names>;
  readonly heartbeat?: () => FeatureHeartbeat;
  /** Programs of the host may connect to its broker once this resolves. Never rejects. */
  readonly ready?: Promise<void>;
  /**
   * Variables that a run gets, which take precedence over those of its spec; they are valid until `runEnded`. Rejects with `spawn_failed`.
   * Without `runId`, they are for starting the same process by hand.
   */
  readonly environment?: (spec: RunSpec, runId?: RunId) => Promise<Readonly<Record<string, string>>>;
  /** Called when the run is extinct, or could not be started. */
  readonly runEnded?: (runId: RunId) => void;
  /** Called when a run could not be started, before `runEnded`. */
  readonly startFailed?: (runId: RunId, spec: RunSpec, reason: string) => void;
  /** How the probes of this kind (src/contract/run.ts) are made. */
  readonly probe?: ProbeOfFeature;
  /** Checks a run from its begin until the returned function is called; `report` gets all checks of this feature after each change. */
  readonly watch?: (spec: RunSpec, report: (checks: readonly RunCheck[]) => void) => () => void;
  readonly runChanged?: (kind: HostEvent["kind"], run: ChangedRun) => void;
  /** Bytes that a process wrote to its terminal; they are borrowed. */
  readonly output?: (name: string, bytes: Uint8Array) => void;
  readonly managerLost?: () => void;
  /** Called when a manager has begun a session; `pid`: its process, on the manager's machine. */
  readonly managerGreeted?: (pid: number) => void;
  /** Called when the connection to the manager ended, before the manager counts as lost. */
  readonly linkLost?: () => void;
  /** Called when the host begins to end, perhaps twice: everything is stopped, and nothing may be started. */
  readonly ending?: () => void;
  readonly close?: () => void | Promise<void>;
}

/** Additions of a feature to a host. `Names`: the requests that it answers. */
export interface HostFeature<Names extends HostRequestName, Service = null> {
  /** Identifies what it hands over when the daemon replaces its program; only for a feature with `handOver`. */
  readonly name?: string;
  begin(host: HostContext): HostPart<Names, Service>;
}
