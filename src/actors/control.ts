import type { Duplex } from "node:stream";
import type { Difference } from "../config/differences.ts";
import type { LogBook } from "../log/log-book.ts";
import type { AnswerOf, FrameOf } from "../protocol/frames/frames.ts";
import type { HostEntry, ManagerInfo, Process, ProcessLoad, ProcessTreeNode, StartTool } from "../protocol/resources/resources.ts";
import type { DataPlane } from "./data-plane.ts";
import type { DomainEvents } from "./domain-events.ts";
import type { Loggers } from "./loggers.ts";
import type { Network } from "./network.ts";
import type { TerminalSize } from "./process-types.ts";
import type { Recordings } from "./recordings.ts";

/** What of the backlog is asked for: the last lines, of the last seconds if given. */
export interface BacklogRange {
  readonly lines: number;
  readonly seconds?: number;
  /** Also when it was written. */
  readonly times?: boolean;
}

/** A piece of backlog: terminal text, and where it ends in the stream (docs/design/wire-rules.md, "Output"). */
export interface Backlog {
  pid: number;
  output: string;
  truncated: boolean;
  /** Offset of the byte after the last one of `output`. */
  offset: number;
  stream_id: string;
  times?: { offset: number; time: string }[];
}

/** All output that is kept of a process: `size` bytes, in pages. */
export interface RetainedOutput {
  readonly size: number;
  readonly pages: AsyncIterable<Uint8Array>;
}

export type Verb = "start" | "stop" | "restart";

export type AttributeValue = string | boolean | null;

/** Details of a process that are not broadcast: the answer without `ok` and `name`. */
export type ProcessDetail = Pick<
  Extract<AnswerOf<"request_process_detail">, { ok: true }>,
  "environment" | "history" | "changes" | "needed_by" | "definition"
>;

export type ProcessListRequest = Required<Omit<FrameOf<"request_process_list">, "type" | "request_id">>;
/** The answer without `ok`; `host` is the canonical name. */
export type ProcessList = Pick<
  Extract<AnswerOf<"request_process_list">, { ok: true }>,
  "host" | "show_threads" | "show_env" | "filter" | "time" | "columns" | "rows"
>;
export type TaskChange = Omit<FrameOf<"set_process_list_task">, "type" | "request_id">;
/** How a task is scheduled, read back. */
export type TaskSettings = Pick<
  Extract<AnswerOf<"set_process_list_task">, { ok: true }>,
  "host" | "pid" | "tid" | "policy" | "prio" | "affinity"
>;

/** What another configuration changes, by process name. */
export interface ConfigurationChange {
  readonly added: string[];
  readonly removed: string[];
  readonly changed: string[];
  readonly unchanged: string[];
  /** Alive, with another definition than the one they were started with. */
  readonly restart_needed: string[];
  /** What the reload starts, and what it stops. */
  readonly starts: string[];
  readonly stops: string[];
  readonly differences: Difference[];
  /** Keys that only the next start of the manager applies. */
  readonly manager_restart_needed: string[];
}

export interface ConfigFileText {
  path: string;
  content: string;
  /** Of the file's bytes. */
  hash: string;
  /** Of the text that is in effect; null if the file was read by no reload yet. */
  effective_hash: string | null;
  files: { path: string; size: number; writable: boolean }[];
}

/** Texts that a file of the configuration had. */
export interface ConfigFileHistory {
  path: string;
  /** Of the text on disk. */
  hash: string;
  effective_hash: string | null;
  /** The newest first. */
  versions: readonly ConfigVersion[];
}

export interface ConfigVersion {
  readonly hash: string;
  /** When the manager saw it first, milliseconds since 1970. */
  readonly time: number;
  /** The user who saved it; null: another program wrote it. */
  readonly by: string | null;
  /** Bytes. */
  readonly size: number;
}

/**
 * The configuration while the manager runs. Everything rejects with a ConfigError (every problem of it) for one that
 * cannot be used, and with `conflict` where there is no file.
 */
export interface Configuration {
  /** What `reload` would do. */
  plan(): Promise<ConfigurationChange>;
  /** `by` is the user's name, or what else asked for it. Changes nothing when it rejects. */
  reload(by: string): Promise<ConfigurationChange>;
  /**
   * One of its files, the main one by default, as it is on disk or, with `hash`, as it was. `not_found` for any other path, and for a version
   * that is not kept.
   */
  file(path: string | undefined, hash?: string): Promise<ConfigFileText>;
  /** The versions of a file that are kept. */
  history(path: string | undefined): Promise<ConfigFileHistory>;
  /** Checks, then replaces a file; resolves with the new hash. It does not reload. */
  save(change: { path: string; content: string; baseHash: string | undefined }, by: string): Promise<string>;
}

/** Reading: always the state of this turn, never a copy from earlier. */
export interface ManagerState {
  readonly manager: ManagerInfo;
  /** No more starts or changes; read-only requests are still answered. */
  readonly isShuttingDown: boolean;
  processes(): Process[];
  process(name: string): Process | undefined;
  /** Whether a group of this name exists. */
  hasGroup(name: string): boolean;
  /** The whole tree, or the subtree of one process or group (an array of that one node; empty if unknown). */
  processTree(scope?: string): ProcessTreeNode[];
  hosts(): HostEntry[];
  startTools(): StartTool[];
  processDetail(name: string): ProcessDetail;
  /** Shell lines that start the same process by hand. Rejects with `spawn_failed` where the next start would. */
  startupCommands(name: string): Promise<string[]>;
}

/**
 * Commands to processes and groups. Start, stop and restart are accepted in this turn (`ack` means that) and carried out later. A promise
 * resolves when all processes have received it: with many processes, a part of them per turn; requests made meanwhile wait.
 */
export interface Commands {
  process(verb: Verb, name: string, by: string): void | Promise<void>;
  group(verb: Verb, name: string, by: string): void | Promise<void>;
  /** Resolves once the host has sent it. What can be refused at once is thrown, as by the commands above. */
  sendSignal(name: string, signal: string, by: string): Promise<void>;
  /** Resolves once what was asked so far would be known to the next manager, or cannot be saved now. Never rejects. */
  saved(): Promise<void>;
}

/** The terminals of processes: input, size and retained output. */
export interface Terminals {
  /** Resolves once the host has queued it. What can be refused at once is thrown. Never re-sent. */
  sendStdin(name: string, text: string): Promise<void>;
  /** Kept for the next run if the process does not run. */
  resize(name: string, size: TerminalSize): void;
  /** Of the run, or of the next one. Throws `not_found`. */
  size(name: string): TerminalSize;
  backlog(name: string, range: BacklogRange): Promise<Backlog>;
  /** For archives: nothing is read before it is asked for. */
  retainedOutput(name: string): Promise<RetainedOutput>;
}

export type Attribute = "start_tool" | "svc_debug";
export type OutputFlag = "low_delay_output" | "no_skip_display";

/** What users set of a process acts at its next start, flags of its output at once. Resolves once it is on disk. */
export interface Settings {
  selectCommand(name: string, which: string, by: string): Promise<void>;
  /** `override` null or "" clears it; `which` "default" is the primary command. */
  overrideCommand(name: string, which: string, override: string | null, by: string): Promise<void>;
  /** Resolves with the value after the change. */
  setAttribute(name: string, attribute: Attribute, value: AttributeValue, by: string): Promise<AttributeValue>;
  setFlag(name: string, flag: OutputFlag, enabled: boolean, by: string): Promise<void>;
}

/** What a host does for a client. `host` is any of its names. */
export interface HostRequests {
  /** CPU and memory of the processes that run, on the hosts that can be reached. */
  loads(): Promise<ProcessLoad[]>;
  /** CPU percentages are over the time since the same `requester` (at most 64 characters) asked last. */
  processList(request: ProcessListRequest, requester: string): Promise<ProcessList>;
  /** Rejects with the kernel's reason, then nothing was changed. */
  setTask(change: TaskChange, by: string): Promise<TaskSettings>;
  /**
   * A TCP connection that `host` makes to `target`, as a stream with half close and flow control. Rejects with `conflict` where the
   * connection is refused, `not_found`, `timeout`, `busy`, `host_unavailable`; destroyed with `host_unavailable` when the host is lost.
   */
  openTcp(host: string, target: { host: string; port: number }): Promise<Duplex>;
}

/**
 * What transport and http may see and ask of the manager; `by` is a user's name. `app/` implements it; tests of the transport fake it.
 * Everything throws (or rejects with) a MgrError with a wire code when it is refused: `not_found` for an unknown name,
 * `host_unavailable`, `not_running`, `busy`, `conflict`.
 */
export interface Control {
  readonly events: DomainEvents;
  readonly log: LogBook;
  readonly state: ManagerState;
  readonly configuration: Configuration;
  readonly commands: Commands;
  readonly terminals: Terminals;
  readonly settings: Settings;
  readonly hostRequests: HostRequests;
  readonly dataPlane: DataPlane;
  readonly recordings: Recordings;
  readonly loggers: Loggers;
  readonly network: Network;
}
