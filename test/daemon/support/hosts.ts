import type { HostEvent, HostHeartbeat, HostLog, OutputChunk, RequestOf } from "../../../src/contract/messages.ts";
import { PLAIN_RUN, type RunReport, type RunSpec } from "../../../src/contract/run.ts";
import { Host } from "../../../src/daemon/host.ts";
import type { HostOptions } from "../../../src/daemon/host-options.ts";

export function spec(name: string, line: string, changes: Partial<RunSpec> = {}): RunSpec {
  return {
    name,
    command: line,
    program: { kind: "shell", line },
    cwd: "/",
    base_dir: "",
    environment: {},
    pass_environment: [],
    inherited: null,
    terminal: { rows: 24, cols: 80, backlog: 65_536 },
    ready: null,
    stop: [{ signal: "SIGTERM", timeout_ms: 5_000 }],
    stop_rank: 0,
    ...PLAIN_RUN,
    ...changes,
  };
}

/** The changes in an event: the end of a leader may include that of its tree. */
export function reportedBy({ kind, run }: HostEvent): HostEvent["kind"][] {
  return kind === "exited" && run.extinct ? ["exited", "extinct"] : [kind];
}

/** A host with a session, and everything that it said. */
export class HostRig implements AsyncDisposable {
  readonly host: Host;
  readonly events: HostEvent[] = [];
  readonly heartbeats: HostHeartbeat[] = [];
  readonly chunks: OutputChunk[] = [];
  readonly log: HostLog[] = [];
  session = "";
  #n = 0;
  readonly #waiting = new Set<() => void>();

  static async open(options: Partial<HostOptions> = {}): Promise<HostRig> {
    const rig = new HostRig(options);
    await rig.hello(1);
    return rig;
  }

  private constructor(options: Partial<HostOptions>) {
    // Where time is real, a slow machine must not lose the session.
    const isDirect = options.clock === undefined;
    this.host = new Host({ host: "bench", subreaper: false, isDirect, log: (entry) => this.log.push(entry), ...options });
    const note =
      <T>(list: T[]) =>
      (item: T) => {
        list.push(item);
        for (const check of this.#waiting) check();
      };
    this.host.listen({ onEvent: note(this.events), onHeartbeat: note(this.heartbeats), onOutput: note(this.chunks) });
  }

  async hello(epoch: number, pid = 1, more: Partial<RequestOf<"hello">> = {}): Promise<string> {
    const answer = await this.host.request("hello", { epoch, manager_pid: pid, contracts: [1], ...more });
    this.session = answer.session;
    return answer.session;
  }

  async spawn(runSpec: RunSpec, runId = `1-${++this.#n}`): Promise<RunReport> {
    const { run } = await this.host.request("spawn", { session: this.session, run_id: runId, spec: runSpec, memo: "" });
    return run;
  }

  /** The event that tells this of a run, now or when it comes. */
  event(run: RunReport, kind: HostEvent["kind"]): Promise<HostEvent> {
    return this.until(() => this.events.find((event) => event.run.run_id === run.run_id && reportedBy(event).includes(kind)));
  }

  until<T>(find: () => T | undefined | false): Promise<T> {
    return new Promise((resolve) => {
      const check = () => {
        const found = find();
        if (found === undefined || found === false) return;
        this.#waiting.delete(check);
        resolve(found);
      };
      this.#waiting.add(check);
      check();
    });
  }

  /** Opens a window from the start of the ring. */
  watch(name: string, length = 1024 * 1024): void {
    this.host.window({ session: this.session, windows: [{ name, from: 0, length }] });
  }

  /** All output that was sent for `name`. */
  sent(name: string): string {
    return Buffer.concat(this.chunks.filter((chunk) => chunk.name === name).map((chunk) => chunk.data)).toString();
  }

  said(name: string, pattern: RegExp): Promise<true> {
    return this.until(() => pattern.test(this.sent(name)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host.close();
  }
}
