import { firstIssue, MgrError } from "../base/errors.ts";
import type { Clock } from "../base/timing/clock.ts";
import { HOST_REQUESTS, type HostRequestName, type RequestOf, type ResponseOf } from "../contract/messages.ts";
import type { HostHandlers } from "./host-feature.ts";
import type { HostFeatures } from "./host-features.ts";
import type { ListBuilder } from "./lists/list-builder.ts";
import { listLoads } from "./loads/load-lists.ts";
import type { HostOutput } from "./output/host-output.ts";
import { startupCommands } from "./process/startup-commands.ts";
import type { HostedRun } from "./run/extinct-run.ts";
import type { RunTable } from "./run/run-table.ts";
import { signalName } from "./run/signal-name.ts";
import type { StopAnswers } from "./run/stop-answers.ts";
import type { Forwarder } from "./session/forwarder.ts";
import type { Supervisor } from "./supervision/supervisor.ts";
import type { TaskOwners } from "./tree/task-owners.ts";

/** The parts of a host that requests act on. */
interface HostParts extends Pick<HostHandlers, "hello"> {
  readonly streamId: string;
  readonly clock: Clock;
  /** Throws `stale_session` if `session` is not the current one. */
  readonly checkSession: (session: string) => void;
  readonly spawn: (request: RequestOf<"spawn">) => Promise<HostedRun>;
  readonly supervisor: Supervisor<HostedRun>;
  readonly runs: RunTable<HostedRun>;
  readonly stops: StopAnswers;
  readonly output: HostOutput;
  readonly lists: ListBuilder;
  /** Returns the owners of tasks as known now; created for each list of processes. */
  readonly owners: () => TaskOwners;
  readonly forwarder: Forwarder;
  /** File with the address of the host's bus; null: none. */
  readonly busUrlFile: string | null;
  readonly features: HostFeatures;
  /** Returns the sequence number of the last event. */
  readonly seq: () => number;
}

/** Checks the requests of managers, and answers them. */
export class HostRequests {
  readonly #checkSession: HostParts["checkSession"];
  readonly #handlers: HostHandlers;

  constructor(parts: HostParts) {
    this.#checkSession = parts.checkSession;
    this.#handlers = { ...handlersOf(parts), ...parts.features.handlers };
  }

  async answer<N extends HostRequestName>(name: N, request: RequestOf<N>): Promise<ResponseOf<N>> {
    const checked = checkRequest(name, request);
    if ("session" in checked) this.#checkSession(checked.session);
    return this.#handlers[name](checked);
  }
}

function handlersOf({
  hello,
  streamId,
  clock,
  spawn,
  supervisor,
  runs,
  stops,
  output: { rings, kept },
  lists,
  owners,
  forwarder,
  busUrlFile,
  features,
  seq,
}: HostParts): Omit<HostHandlers, keyof HostFeatures["handlers"]> {
  return {
    hello,
    spawn: async (request) => {
      supervisor.startRequested(request.spec.name);
      const { report } = await spawn(request);
      supervisor.startEnded(report.name);
      return { run: report };
    },
    supervise: (request) => {
      supervisor.supervise(request);
      return {};
    },
    past_runs: () => lists.pages.of(supervisor.pastRuns),
    stop: (request) => stops.stop(request),
    stop_runs: (request) => stops.stopMany(request),
    signal: ({ run_id, signal }) => {
      runs.byId(run_id).signal(signalName(signal));
      return {};
    },
    write: async ({ run_id, text }) => {
      await runs.byId(run_id).write(text);
      return {};
    },
    resize: ({ run_id, rows, cols }) => {
      runs.byId(run_id).resize(rows, cols);
      return {};
    },
    connect: async ({ stream, host, port }) => {
      await forwarder.open({ stream, host, port });
      return {};
    },
    startup_commands: async ({ spec }) => ({
      commands: await startupCommands(spec, { busUrlFile, variables: await features.environment(spec) }),
    }),
    memo: ({ run_id, memo }) => {
      runs.byId(run_id).memo = memo;
      return {};
    },
    tail: ({ name, lines, max_age_ms, ages }) => {
      const ring = rings.find(name);
      const begin = ring?.tail(lines, max_age_ms) ?? { from: rings.origin, truncated: false };
      const run = runs.newest(name);
      const resized = run?.resizedAt ?? null;
      return {
        stream_id: streamId,
        pid: run?.pid ?? 0,
        until: ring?.end ?? rings.origin,
        ...begin,
        ...(ages ? { ages: ring?.ages(begin.from) ?? [] } : {}),
        ...(resized === null ? {} : { resized }),
      };
    },
    read: ({ name, from, max }) => rings.find(name)?.read(from, max) ?? { from: rings.origin, data: new Uint8Array(0) },
    kept_outputs: () => lists.pages.of(kept?.names ?? []),
    forget_outputs: async ({ names }) => {
      const living = new Set(runs.living.map(({ spec }) => spec.name));
      for (const name of names) if (!living.has(name)) await kept?.forget(name);
      return {};
    },
    loads: () => listLoads({ clock, lists, owners }),
    list_page: ({ after }) => lists.pages.read(after),
    report: ({ after }) => ({ seq: seq(), ...runs.page(after) }),
  };
}

/** Returns the request as parsed by its schema. Throws `unknown_action` or `bad_field`. */
function checkRequest<N extends HostRequestName>(name: N, request: RequestOf<N>): RequestOf<N> {
  if (!Object.hasOwn(HOST_REQUESTS, name)) throw new MgrError("unknown_action", `unknown request '${name}' to a host`);
  const parsed = HOST_REQUESTS[name].request.safeParse(request);
  if (!parsed.success) throw new MgrError("bad_field", `invalid request '${name}': ${firstIssue(parsed.error)}`);
  return parsed.data as RequestOf<N>;
}
