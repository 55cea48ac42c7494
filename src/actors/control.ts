import type { Principal } from "../base/principal.ts";
import type { LogBook } from "../log/log-book.ts";
import type { HostEntry, Process, ProcessTreeNode, StartTool } from "../protocol/resources.ts";
import type { DomainEvents } from "./domain-events.ts";

/** A piece of backlog: terminal text, and where it ends in the stream (runtime.md, "Frames out"). */
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

/**
 * What transport and http may see and ask of the actor system. `app/` implements it; tests of the transport fake it.
 * Every command throws (or rejects with) a MgrError with a wire code when it is refused: `not_found` for an unknown
 * name, `host_unavailable`, `not_running`, `busy`, `conflict`.
 */
export interface Control {
  readonly manager: { name: string; host: string };
  readonly events: DomainEvents;
  readonly log: LogBook;

  // Reading: always the state of this turn, never a copy from earlier.
  processes(): Process[];
  process(name: string): Process | undefined;
  /** Whether a group of this name exists. */
  hasGroup(name: string): boolean;
  /** The whole tree, or the subtree of one process or group (an array of that one node; empty if unknown). */
  processTree(scope?: string): ProcessTreeNode[];
  hosts(): HostEntry[];
  startTools(): StartTool[];

  // Commands: accepted in this turn (runtime.md: `ack` means that), carried out later.
  startProcess(name: string, by: Principal): void;
  stopProcess(name: string, by: Principal): void;
  restartProcess(name: string, by: Principal): void;
  startGroup(name: string, by: Principal): void;
  stopGroup(name: string, by: Principal): void;
  restartGroup(name: string, by: Principal): void;
  /** Resolves once the host has sent it. */
  sendSignal(name: string, signal: string, by: Principal): Promise<void>;
  /** Resolves once the host has queued it. Never re-sent. */
  sendStdin(name: string, text: string, by: Principal): Promise<void>;
  /** Kept for the next run if the process does not run. */
  sendWinch(name: string, rows: number, cols: number, by: Principal): void;
  readBacklog(name: string, lines: number): Promise<Backlog>;
  /** For archives: nothing is read before it is asked for. */
  retainedOutput(name: string): Promise<RetainedOutput>;
}
