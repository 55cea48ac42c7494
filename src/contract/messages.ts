import { z } from "zod";
import { FEATURE_HEARTBEAT, FEATURE_REQUESTS, type HOST_NEWS } from "../features/contract.ts";
import { count, runId, session, streamName } from "./fields.ts";
import { machineCpu } from "./loads.ts";
import { byteRange, LIST_REQUESTS, listPage, nextPage, pageRequest } from "./pages.ts";
import { runReport, runSpec } from "./run.ts";
import { STOP_REQUESTS } from "./stops.ts";
import { MAX_SUPERVISED_NAMES, ON_BOOT } from "./supervision.ts";

/**
 * Version N of this contract. A manager speaks N and N-1; otherwise the host is not ready and nothing is killed. It is raised with the
 * first incompatible change after a release. Adding an optional field is compatible.
 */
export const CONTRACT_VERSION = 1;

/** Maximum size of a message on the bus, bytes; larger answers are paged (docs/design/runtime-invariants.md, "Bus"). */
export const MAX_MESSAGE_BYTES = 512 * 1024;
/** Maximum size of output, bytes, such as an echo, a prompt or a line of a log, that is sent without delay and ahead of longer output. */
export const MAX_SHORT_OUTPUT_BYTES = 4 * 1024;
/** Maximum size of an output chunk, bytes. */
export const MAX_CHUNK_BYTES = 64 * 1024;
/** Maximum length of a window, bytes. */
export const MAX_WINDOW_BYTES = 1024 * 1024;
/** Maximum number of names in one message about kept output: names are at most 1,024 characters. */
export const MAX_KEPT_NAMES = 256;
/** Heartbeat period in both directions, and the silence after which the other side counts as lost, milliseconds. */
export const HEARTBEAT_MS = 2_000;
export const HEARTBEAT_LOST_MS = 6_000;
/** Maximum number of bytes of unwritten stdin per process; more are refused with `busy` (docs/design/wire-rules.md, "Output"). */
export const MAX_STDIN_QUEUE_BYTES = 1024 * 1024;

/** Upper limit of the largest message that the broker of a host accepts, bytes. */
export const MAX_PAYLOAD_LIMIT_BYTES = 64 * 1024 * 1024;

/** Minimum memory of a broker for its messages, bytes. */
export const MIN_BUS_MEMORY_BYTES = 16 * 1024 * 1024;

/** Settings for the broker of a host, from the manager's configuration. */
export const busSettings = z.object({
  /** The broker links to the broker by which the daemon reaches its manager, or to the leaf-node listener of a nats-server; null: to nothing. */
  hub: z
    .union([
      z.literal("manager"),
      // `ca`: certificate authorities as PEM text; null: those of the host's system.
      z.object({ url: z.string(), ca: z.string().max(65_536).nullable() }),
    ])
    .nullable(),
  max_payload: z.int().min(1_024).max(MAX_PAYLOAD_LIMIT_BYTES),
  /** Memory for queues, kept messages and rings of loggers, bytes; null: a share of the machine's. */
  memory: z.int().min(MIN_BUS_MEMORY_BYTES).nullable(),
});
export type BusSettings = z.infer<typeof busSettings>;

/** Offset in the output of a process: the number of bytes before it. */
const offset = count;
const dimension = z.int().min(1).max(65_535);

/**
 * Requests that a manager sends to a host. The host checks each request once, the manager each answer. Every command except `hello` carries
 * the session; commands about a run also carry its run_id.
 */
export const HOST_REQUESTS = {
  hello: {
    request: z.object({
      epoch: z.int().min(1),
      manager_pid: z.int(),
      contracts: z.array(z.int()),
      /** After this time without a manager, milliseconds, the host stops everything (`on_manager_lost`); null: never. */
      stop_after_ms: z.int().min(0).nullable().optional(),
      bus: busSettings.optional(),
    }),
    response: z.object({
      session,
      contract: z.int(),
      pid: z.int(),
      boot_id: z.string(),
      /** Identifies this daemon: ring offsets are comparable only under the same stream_id. */
      stream_id: z.string(),
      seq: count,
      /** Wall clock of the host, milliseconds since 1970. */
      time: z.number(),
      /**
       * Offset at which the output of this daemon begins in every ring; output that earlier daemons left is before it. Omitted, as by daemons that
       * keep no output: 0.
       */
      output_from: offset.optional(),
      /** Why the previous daemon's processes ended, if it did not stop them: a part of a sentence. */
      previous_end: z.string().max(256).nullable().optional(),
      /** Version of the daemon's program. */
      version: z.string().max(64).optional(),
      /** The time in which the host supervised its processes without a manager, by its wall clock, until the next `supervise`. Omitted: none. */
      alone: z
        .object({
          from: z.number(),
          until: z.number(),
          restarts: count,
          /** The processes that it started after it had booted, or its daemon was started again (`on_boot: resume`), and when. Omitted: none. */
          resumed: z.object({ time: z.number(), processes: count, after: z.enum(["boot", "daemon"]) }).optional(),
        })
        .optional(),
    }),
  },
  /**
   * Says for which processes the host is to start another run by its restart policy, if their run ends while it has no manager. A spawn says so,
   * too. False: the manager has decided otherwise, because a stop is requested, or the process has ended or failed for good.
   */
  supervise: {
    request: z.object({
      session,
      processes: z.array(z.tuple([z.string(), z.boolean()])).max(MAX_SUPERVISED_NAMES),
      /** Whether it is the first of the session: all processes that it does not name are not wanted, such as those that moved to another host. */
      is_first: z.boolean(),
      /** Maximum number of starts in a second; null: no limit. */
      start_rate: z.number().positive().nullable(),
      /** Members of `processes` that are not wanted, but requested to start: they have ended or failed for good, or wait for another host. */
      requested: z.array(z.string()).max(MAX_SUPERVISED_NAMES).optional(),
      /** Action of the host after a boot. Omitted, as by managers of earlier versions: it waits. */
      on_boot: z.enum(ON_BOOT).optional(),
    }),
    response: z.object({}),
  },
  /**
   * The ended runs that the host replaced while it had no manager, until the next `supervise`: a list of `runReport`, those of a process oldest
   * first. The newest run of each process is in the run table only.
   */
  past_runs: { request: z.object({ session }), response: z.object(listPage) },
  /**
   * Starts a run. For a known run_id, answers with the recorded result. `conflict` with details {run} if another run of that name, or part of its
   * tree, is alive.
   */
  spawn: {
    request: z.object({
      session,
      run_id: runId,
      spec: runSpec,
      memo: z.string().max(4_096),
      /**
       * The newest run that the manager knows of this process. If the host itself has started a later one, the answer is `conflict`: the manager has
       * not yet seen what happened without it.
       */
      after: runId.optional(),
    }),
    response: z.object({ run: runReport }),
  },
  ...STOP_REQUESTS,
  signal: { request: z.object({ session, run_id: runId, signal: z.string() }), response: z.object({}) },
  /** Writes to the terminal. Answered once queued; `busy` when the queue is full. */
  write: { request: z.object({ session, run_id: runId, text: z.string() }), response: z.object({}) },
  resize: { request: z.object({ session, run_id: runId, rows: dimension, cols: dimension }), response: z.object({}) },
  /**
   * Opens a TCP connection from the host to `host:port`; its bytes are carried by the stream (contract/streams.ts). It ends with the
   * session.
   */
  connect: {
    request: z.object({
      session,
      stream: streamName,
      host: z.string().min(1).max(255),
      port: z.int().min(1).max(65_535),
    }),
    response: z.object({}),
  },
  /**
   * Shell lines that start `spec` by hand in a shell of this host. `spawn_failed` if the host could not start it, `too_large` if they do
   * not fit into one message.
   */
  startup_commands: { request: z.object({ session, spec: runSpec }), response: z.object({ commands: z.array(z.string()) }) },
  memo: { request: z.object({ session, run_id: runId, memo: z.string().max(4_096) }), response: z.object({}) },
  /**
   * Finds the offset at which the last `lines` lines of a name's ring begin that are not older than `max_age_ms`. If it never ran, `pid` is 0 and
   * the offsets are equal.
   */
  tail: {
    request: z.object({
      session,
      name: z.string(),
      lines: z.int().min(1).max(100_000),
      max_age_ms: z.number().min(0).optional(),
      /** Whether to include the age of each part. */
      ages: z.boolean().optional(),
    }),
    response: z.object({
      stream_id: z.string(),
      pid: z.int(),
      from: offset,
      until: offset,
      /** Whether the ring had fewer lines than requested because older ones were evicted. */
      truncated: z.boolean(),
      /** Age of the output from `offset` to the next entry, oldest first; only if requested. */
      ages: z.array(z.object({ offset, age_ms: z.number() })).optional(),
      /** Offset at which the size of the newest run's terminal changed last. Omitted if it has not. */
      resized: offset.optional(),
    }),
  },
  /** Bytes of the ring; `from` of the answer is later if bytes were evicted. */
  read: {
    request: z.object({ session, name: z.string(), ...byteRange }),
    response: z.object({ from: offset, data: z.instanceof(Uint8Array) }),
  },
  /** Lists the processes whose output the host keeps for its next daemon: their names. */
  kept_outputs: { request: z.object({ session }), response: z.object(listPage) },
  /** Removes the kept output of processes that are no longer configured. Running processes are skipped. */
  forget_outputs: { request: z.object({ session, names: z.array(z.string()).max(MAX_KEPT_NAMES) }), response: z.object({}) },
  /** The run table, in pages ordered by name; `after` is the last name of the previous page. */
  report: { request: pageRequest, response: z.object({ seq: count, runs: z.array(runReport), next: nextPage }) },
  /** Current CPU and memory of each living run's tree: a list of `loadPage`. `time` is monotonic, milliseconds. */
  loads: {
    request: z.object({ session }),
    // `machine` is omitted if the kernel does not report it.
    response: z.object({ ...listPage, time: z.number(), machine: machineCpu.optional() }),
  },
  ...LIST_REQUESTS,
  ...FEATURE_REQUESTS,
} as const;

export type HostRequests = typeof HOST_REQUESTS;
export type HostRequestName = keyof HostRequests;
export type RequestOf<N extends HostRequestName> = z.infer<HostRequests[N]["request"]>;
export type ResponseOf<N extends HostRequestName> = z.infer<HostRequests[N]["response"]>;

/**
 * An entry of the run table changed. `kind` names the change; `run` is the entry after it. `stopping`: left out for a stop that `stop_runs` has
 * requested. `unhealthy`: the field of that name has the reason.
 * `watch`: `changed_file` has the file. `checks`: the field of that name. `exited`: the leader has ended; `extinct` follows when nothing of its tree is left. An `exited` whose run
 * is extinct reports both: the leader's end is held back for 25 ms at most while the run is being stopped, and otherwise until the end of the turn
 * in which it was detected.
 */
export const hostEvent = z.object({
  seq: count,
  kind: z.enum(["spawned", "ready", "stopping", "exited", "extinct", "changed", "unhealthy", "watch", "checks"]),
  run: runReport,
});
export type HostEvent = z.infer<typeof hostEvent>;

/** Sent by the host every HEARTBEAT_MS, with or without a session, and at once after it has connected. */
export const hostHeartbeat = z.object({
  host: z.string(),
  contract: z.int(),
  pid: z.int(),
  stream_id: z.string(),
  /** The current session; null: the host waits for a hello. */
  session: session.nullable(),
  seq: count,
  ...FEATURE_HEARTBEAT,
});
export type HostHeartbeat = z.infer<typeof hostHeartbeat>;

/** Messages that features of a host send to the manager, by name. */
export type HostNews = { [K in keyof typeof HOST_NEWS]: z.infer<(typeof HOST_NEWS)[K]> };

/** A log line of the host for the manager's log book. `about`: the processes that it concerns. */
export const hostLog = z.object({
  level: z.enum(["debug", "info", "warning", "error"]),
  source: z.string(),
  msg: z.string(),
  about: z.array(z.string()).exactOptional(),
});
export type HostLog = z.infer<typeof hostLog>;
export type HostLogWriter = (level: HostLog["level"], msg: string, about?: readonly string[]) => void;

/**
 * Allows the host to send `length` bytes of `name` from `from` on. Not answered. The manager repeats it each second, and moves it forward
 * as it consumes output. `from: null` is the end of the ring's last whole character at this moment: the host answers at once with an empty
 * chunk that carries the offset (the anchor). `length: 0` closes the window. An unknown name's ring is empty at 0. `moved`: nothing is
 * missing; bytes that were already sent are not sent again. Without it, everything from `from` on is sent again. `lossless`: nothing after
 * `from` may be evicted. While too much of the ring is after it, the host does not read the terminal, so that the program blocks when it
 * writes. This ends with the window and with the session. A run that is being stopped is always read.
 */
export const outputWindow = z.object({
  name: z.string(),
  from: offset.nullable(),
  length: z.int().min(0).max(MAX_WINDOW_BYTES),
  lossless: z.boolean().optional(),
  moved: z.boolean().optional(),
});
export type OutputWindow = z.infer<typeof outputWindow>;

/** Several windows in one message, at most 512. */
export const outputWindows = z.object({ session, windows: z.array(outputWindow).max(512) });
export type OutputWindows = z.infer<typeof outputWindows>;

/**
 * Bytes of one process's ring, at most MAX_CHUNK_BYTES. A gap (bytes evicted before they could be sent) has `data`
 * empty and `gap` > 0; an anchor has both empty and 0.
 */
export interface OutputChunk {
  name: string;
  stream_id: string;
  /** Offset of the first byte of `data`, or of the first lost byte of a gap. */
  offset: number;
  /** Number of lost bytes; 0 for data. */
  gap: number;
  data: Uint8Array;
}
