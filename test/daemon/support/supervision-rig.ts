import { HEARTBEAT_LOST_MS, type RequestOf } from "../../../src/contract/messages.ts";
import type { RunSpec } from "../../../src/contract/run.ts";
import type { Supervision } from "../../../src/contract/supervision.ts";
import { FakeHost } from "../../../src/testing/fake-host.ts";
import type { FakePrograms } from "../../../src/testing/fake-program.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { spec } from "./hosts.ts";
import { MemoryStore } from "./memory-store.ts";

export const RESTART = {
  policy: "on-failure",
  delay: 1_000,
  factor: 2,
  max_delay: 8_000,
  max_restarts: 3,
  window: 60_000,
  reset_after: 20_000,
} as const;
/** A session ends after the first, and the host decides after the second of these; both are checked each second. */
const UNTIL_ALONE_MS = 2 * HEARTBEAT_LOST_MS + 2_000;

export function supervised(name: string, changes: Partial<Supervision> = {}, more: Partial<RunSpec> = {}): RunSpec {
  const supervision = { restart: RESTART, success_exit_codes: [0], ready_timeout_ms: null, depends_on: [], ...changes };
  return spec(name, name, { ...more, supervision });
}

/** A host that a manager greeted, and the runs that it began. */
export class SupervisionRig {
  readonly clock = new SimulatedClock();
  readonly disk = new MemoryStore(this.clock);
  readonly host: FakeHost;
  readonly begun: { name: string; run_id: string; time: number }[] = [];
  session = "";
  #runs = 0;

  /** `keep`: the host keeps what is requested on `disk`. */
  constructor({ keep = false, programs = {} }: { keep?: boolean; programs?: FakePrograms } = {}) {
    this.host = new FakeHost({ clock: this.clock, programs, ...(keep ? { requests: this.disk } : {}) });
    this.host.listen({
      onEvent: ({ kind, run: { name, run_id } }) => {
        if (kind === "spawned") this.begun.push({ name, run_id, time: this.clock.monotonic() });
      },
    });
  }

  async hello(epoch = 1) {
    const answer = await this.host.request("hello", { epoch, manager_pid: 1, contracts: [1] });
    this.session = answer.session;
    return answer;
  }

  async spawn(run: RunSpec): Promise<string> {
    const run_id = `1-${++this.#runs}`;
    await this.host.request("spawn", { session: this.session, run_id, spec: run, memo: "" });
    return run_id;
  }

  supervise(processes: [string, boolean][], more: Partial<RequestOf<"supervise">> = {}) {
    return this.host.request("supervise", { session: this.session, processes, is_first: false, start_rate: null, ...more });
  }

  /** Lets the manager be silent until the host acts alone. */
  alone(): Promise<void> {
    return this.clock.advance(UNTIL_ALONE_MS);
  }

  runsOf(name: string): string[] {
    return this.begun.flatMap((run) => (run.name === name ? run.run_id : []));
  }
}

export async function openRig(...runs: RunSpec[]): Promise<SupervisionRig> {
  const rig = new SupervisionRig();
  await rig.hello();
  for (const run of runs) await rig.spawn(run);
  return rig;
}
