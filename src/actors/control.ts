import type { Duplex } from "node:stream";
import type { Principal } from "../base/principal.ts";
import type { LogBook } from "../log/log-book.ts";
import type { AnswerOf, FrameOf } from "../protocol/frames/frames.ts";
import type { HostEntry, ManagerInfo, Process, ProcessTreeNode, StartTool } from "../protocol/resources/resources.ts";
import type { DomainEvents } from "./domain-events.ts";

/** A piece of backlog: terminal text, and where it ends in the stream (docs/design/wire-rules.md, "Output"). */
export interface Backlog {
  pid: number;
  output: string;
  truncated: boolean;
  /** Offset of the byte after the last one of `output`. */
  offset: number;
  stream_id: string;
}

/** All output that is kept of a process: `size` bytes, in pages. */
export interface RetainedOutput {
  readonly size: number;
  readonly pages: AsyncIterable<Uint8Array>;
}

export type AttributeValue = string | boolean | null;

/** Details of a process that are not broadcast: the answer without `ok` and `name`. */
export type ProcessDetail = Pick<Extract<AnswerOf<"request_process_detail">, { ok: true }>, "environment" | "history" | "definition">;

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
}

export interface ConfigFileText {
  path: string;
  content: string;
  /** Of the file's bytes. */
  hash: string;
  files: { path: string; size: number; writable: boolean }[];
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
  /** One of its files, the main one by default. `not_found` for any other path. */
  file(path: string | undefined): Promise<ConfigFileText>;
  /** Checks, then replaces a file; resolves with the new hash. It does not reload. */
  save(change: { path: string; content: string; baseHash: string | undefined }, by: Principal): Promise<string>;
}

/**
 * What transport and http may see and ask of the actor system. `app/` implements it; tests of the transport fake it.
 * Every command throws (or rejects with) a MgrError with a wire code when it is refused: `not_found` for an unknown
 * name, `host_unavailable`, `not_running`, `busy`, `conflict`.
 */
export interface Control {
  readonly manager: ManagerInfo;
  readonly events: DomainEvents;
  readonly log: LogBook;
  readonly configuration: Configuration;
  /** No more starts or changes; read-only requests are still answered. */
  readonly isShuttingDown: boolean;

  // Reading: always the state of this turn, never a copy from earlier.
  processes(): Process[];
  process(name: string): Process | undefined;
  /** Whether a group of this name exists. */
  hasGroup(name: string): boolean;
  /** The whole tree, or the subtree of one process or group (an array of that one node; empty if unknown). */
  processTree(scope?: string): ProcessTreeNode[];
  hosts(): HostEntry[];
  startTools(): StartTool[];

  // Commands: accepted in this turn (`ack` means that), carried out later. A promise resolves when all processes have received
  // it: with many processes, a part of them per turn; requests made meanwhile wait.
  startProcess(name: string, by: Principal): void | Promise<void>;
  stopProcess(name: string, by: Principal): void | Promise<void>;
  restartProcess(name: string, by: Principal): void | Promise<void>;
  startGroup(name: string, by: Principal): void | Promise<void>;
  stopGroup(name: string, by: Principal): void | Promise<void>;
  restartGroup(name: string, by: Principal): void | Promise<void>;
  /** Resolves once what was asked so far would be known to the next manager, or cannot be saved now. Never rejects. */
  saved(): Promise<void>;
  /** Resolves once the host has sent it. What can be refused at once is thrown, as by the commands above. */
  sendSignal(name: string, signal: string, by: Principal): Promise<void>;
  /** Resolves once the host has queued it; throws as `sendSignal`. Never re-sent. */
  sendStdin(name: string, text: string, by: Principal): Promise<void>;
  /** Kept for the next run if the process does not run. */
  sendWinch(name: string, rows: number, cols: number, by: Principal): void;
  /** What users set of a process acts at its next start, flags of its output at once. Resolves once it is on disk. */
  selectCommand(name: string, which: string, by: Principal): Promise<void>;
  /** `override` null or "" clears it; `which` "default" is the primary command. */
  overrideCommand(name: string, which: string, override: string | null, by: Principal): Promise<void>;
  /** Resolves with the value after the change. */
  setAttribute(name: string, attribute: "start_tool" | "svc_debug", value: AttributeValue, by: Principal): Promise<AttributeValue>;
  setOutputFlag(name: string, flag: "low_delay_output" | "no_skip_display", enabled: boolean, by: Principal): Promise<void>;
  /** Shell lines that start the same process by hand. Rejects with `spawn_failed` where the next start would. */
  startupCommands(name: string): Promise<string[]>;
  processDetail(name: string): ProcessDetail;
  readBacklog(name: string, lines: number): Promise<Backlog>;
  /**
   * A TCP connection that `host` (any of its names) makes to `target`, as a stream with half close and flow control.
   * Rejects with `conflict` where the connection is refused, `not_found`, `timeout`, `busy`, `host_unavailable`; destroyed with
   * `host_unavailable` when the host is lost.
   */
  openTcp(host: string, target: { host: string; port: number }): Promise<Duplex>;
  /** CPU percentages are over the time since the same `requester` (at most 64 characters) asked last. */
  processList(request: ProcessListRequest, requester: string): Promise<ProcessList>;
  /** Rejects with the kernel's reason, then nothing was changed. */
  setTask(change: TaskChange, by: Principal): Promise<TaskSettings>;
  /** For archives: nothing is read before it is asked for. */
  retainedOutput(name: string): Promise<RetainedOutput>;
}
