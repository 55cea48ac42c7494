import type { Duplex } from "node:stream";
import type { Difference } from "../config/differences.ts";
import type { HostChange } from "../config/plan.ts";
import type { LogBook } from "../log/log-book.ts";
import type { AnswerOf, ManagerFrame } from "../protocol/frames/frames.ts";
import type {
  HostEntry,
  HostLoad,
  ManagerInfo,
  Process,
  ProcessLoad,
  ProcessTreeNode,
  StartTool,
} from "../protocol/resources/resources.ts";
import type { DomainEvents } from "./domain-events.ts";
import type { TerminalSize } from "./process/process-types.ts";

/** The requested part of the backlog: the last lines, limited to the last seconds if given. */
export interface BacklogRange {
  readonly lines: number;
  readonly seconds?: number;
  /** Whether to include the time of each part. */
  readonly times?: boolean;
}

/** A piece of backlog: terminal text, and its end in the stream (docs/design/wire-rules.md, "Output"). */
export interface Backlog {
  pid: number;
  output: string;
  truncated: boolean;
  /** Offset of the byte after the last one of `output`. */
  offset: number;
  stream_id: string;
  times?: { offset: number; time: string }[];
  /** Offset at which the size of the terminal changed last. */
  resized?: number;
}

/** All retained output of a process: `size` bytes, in pages. */
export interface RetainedOutput {
  readonly size: number;
  readonly pages: AsyncIterable<Uint8Array>;
}

/** The client that requests a start. */
export interface Starter {
  readonly user: string;
  /** `<ip>:<port>`; null over the local socket. */
  readonly peer: string | null;
  /** Sends a frame to this client only; sends nothing after it has disconnected. */
  notify(frame: ManagerFrame): void;
}

/** The output of a process that its host keeps, to be read in parts. Offsets are those of its stream. */
export interface OutputReader {
  readonly streamId: string;
  /** Offset of the oldest byte that is kept, and the offset after the newest one; newer output may take the place of old bytes at any time. */
  readonly start: number;
  readonly end: number;
  /**
   * The bytes between two offsets, requested of the host one part after the other. Where `from` of a part is later than the end of the part
   * before, the bytes between are no longer kept; an empty last part means that nothing is kept to the end.
   */
  parts(from: number, end: number): AsyncIterable<{ readonly from: number; readonly data: Uint8Array }>;
}

export type Verb = "start" | "stop" | "restart";

export type AttributeValue = string | boolean | null;

/** Details of a process that are not broadcast: the answer without `ok` and `name`. */
export type ProcessDetail = Pick<
  Extract<AnswerOf<"request_process_detail">, { ok: true }>,
  "environment" | "history" | "changes" | "needed_by" | "definition"
>;

/** The changes by another configuration, by process name. */
export interface ConfigurationChange {
  readonly added: string[];
  readonly removed: string[];
  readonly changed: string[];
  readonly unchanged: string[];
  /** Living processes that were started with another definition. */
  readonly restart_needed: string[];
  /** Processes that the reload starts, and those that it stops. */
  readonly starts: string[];
  readonly stops: string[];
  readonly differences: Difference[];
  readonly hosts: HostChange[];
  /** Keys such as `flight` that a reload applies, other than processes and hosts. */
  readonly settings: string[];
  /** Keys that only the next start of the manager applies. */
  readonly manager_restart_needed: string[];
}

export interface ConfigFileText {
  path: string;
  content: string;
  /** Hash of the file's bytes. */
  hash: string;
  /** Hash of the text in effect; null if no reload has read the file yet. */
  effective_hash: string | null;
  files: { path: string; size: number; writable: boolean }[];
}

/** The versions of one configuration file. */
export interface ConfigFileHistory {
  path: string;
  /** Hash of the text on disk. */
  hash: string;
  effective_hash: string | null;
  /** The versions, the newest first. */
  versions: readonly ConfigVersion[];
}

export interface ConfigVersion {
  readonly hash: string;
  /** Time when the manager first read it, milliseconds since 1970. */
  readonly time: number;
  /** The user who saved it; null: another program wrote it. */
  readonly by: string | null;
  /** Size of the text, bytes. */
  readonly size: number;
}

/**
 * The configuration while the manager runs. All methods reject with a ConfigError that lists every problem if the configuration is not
 * valid, and with `conflict` if there is no file.
 */
export interface Configuration {
  /** Resolves with the changes that `reload` would make. */
  plan(): Promise<ConfigurationChange>;
  /** Reloads the files; `by` names the user or program that requested it. If it rejects, nothing has changed. */
  reload(by: string): Promise<ConfigurationChange>;
  /**
   * One of its files, by default the main one: the text on disk or, with `hash`, an earlier version. `not_found` for any other path, and
   * for a version that is no longer kept.
   */
  file(path: string | undefined, hash?: string): Promise<ConfigFileText>;
  /** The versions of a file that are still kept. */
  history(path: string | undefined): Promise<ConfigFileHistory>;
  /**
   * Checks a text for a file with all others; rejects with its problems. `requester` names a connection; a second check of the same connection at a
   * time is `busy`.
   */
  check(text: { path: string; content: string }, requester: string): Promise<void>;
  /** Checks, then replaces a file; resolves with the new hash. It does not reload. */
  save(change: { path: string; content: string; baseHash: string | undefined }, by: string): Promise<string>;
}

/** Read access. Each answer is the current state, never an earlier copy. */
export interface ManagerState {
  readonly manager: ManagerInfo;
  /** Whether the manager is shutting down: no more starts or changes; read-only requests are still answered. */
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
  /** Shell lines that start the same process by hand. Rejects with `spawn_failed` if the next start would fail. */
  startupCommands(name: string): Promise<string[]>;
}

/**
 * Commands to processes and groups. Start, stop and restart are accepted in this turn (that is what `ack` means) and carried out later. A
 * promise resolves when all processes have received the command. With many processes, each turn delivers it to some of them; requests made
 * meanwhile wait.
 */
export interface Commands {
  process(verb: Verb, name: string, by: string, starter?: Starter | null): void | Promise<void>;
  group(verb: Verb, name: string, by: string, starter?: Starter | null): void | Promise<void>;
  /** Resolves once the host has sent the signal. Throws if it can be refused at once, like the commands above. */
  sendSignal(name: string, signal: string, by: string): Promise<void>;
  /** Resolves once all requests so far are on disk for the next manager, or cannot be saved now. Never rejects. */
  saved(): Promise<void>;
}

/** The terminals of processes: input, size and retained output. */
export interface Terminals {
  /** Types text. Resolves once the host has queued it. Throws if it can be refused at once. Never sent twice. */
  sendStdin(name: string, text: string): Promise<void>;
  /** Changes the size. If the process is not running, the size is kept for its next run. */
  resize(name: string, size: TerminalSize): void;
  /** Terminal size of the current run, or of the next one. Throws `not_found`. */
  size(name: string): TerminalSize;
  backlog(name: string, range: BacklogRange): Promise<Backlog>;
  /** Resolves with all retained output, for archives: it is read page by page on demand. */
  retainedOutput(name: string): Promise<RetainedOutput>;
  /** Opens the kept output of a process for reading. Rejects with `not_found` and `host_unavailable`. */
  openOutput(name: string): Promise<OutputReader>;
}

export type Attribute = "start_tool" | "svc_debug";
export type OutputFlag = "low_delay_output" | "no_skip_display";

/**
 * Settings that users change at run time. They take effect at the next start of the process, output flags at once. Methods resolve once the
 * setting is on disk.
 */
export interface Settings {
  selectCommand(name: string, which: string, by: string): Promise<void>;
  /** `override` null or "" clears it; `which` "default" is the primary command. */
  overrideCommand(name: string, which: string, override: string | null, by: string): Promise<void>;
  /** Resolves with the value after the change. */
  setAttribute(name: string, attribute: Attribute, value: AttributeValue, by: string): Promise<AttributeValue>;
  setFlag(name: string, flag: OutputFlag, enabled: boolean, by: string): Promise<void>;
}

/** Requests of clients to hosts. `host` is any name of a host. */
export interface HostRequests {
  /** CPU and memory of the running processes on all reachable hosts, and CPU of these machines. */
  loads(): Promise<{ loads: ProcessLoad[]; hosts: HostLoad[] }>;
  /**
   * Opens a TCP connection from `host` to `target`, as a stream with half close and flow control. Rejects with `conflict` if the connection is
   * refused, `not_found`, `timeout`, `busy`, `host_unavailable`; destroyed with `host_unavailable` when the host is lost.
   */
  openTcp(host: string, target: { host: string; port: number }): Promise<Duplex>;
}

/**
 * Everything that transport and http may read and request of the manager; `by` is a user's name. `app/` implements it; tests of the
 * transport use a fake. A refused request throws or rejects with a MgrError that has a wire code: `not_found` for an unknown name,
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
}
