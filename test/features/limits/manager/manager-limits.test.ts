import { expect, test } from "vitest";
import { DomainEvents } from "../../../../src/actors/domain-events.ts";
import type { HostListener } from "../../../../src/contract/host-link.ts";
import { EMPTY_LIST } from "../../../../src/contract/pages.ts";
import type { HostLimits, HostReached, Limit } from "../../../../src/features/limits/contract.ts";
import type { LimitChange } from "../../../../src/features/limits/manager/limits.ts";
import { ManagerLimits } from "../../../../src/features/limits/manager/manager-limits.ts";
import { LogBook } from "../../../../src/log/log-book.ts";
import type { HostEntry, ProcessState } from "../../../../src/protocol/resources/resources.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const FULL = { kind: "full" } as const;
const WALL = Date.UTC(2026, 10, 21, 8, 14, 2);
const GIB = 1024 ** 3;
const TEXT = "memory 2.10 GiB, over 2.00 GiB for 31 s";
const limit = (action: Limit["action"]): Limit => ({ measure: "memory", above: 2 * GIB, for_ms: 30_000, action });
const reached = (action: Limit["action"], change: Partial<HostReached> = {}): HostReached => ({
  ...limit(action),
  run_id: "1-1",
  value: 2.1 * GIB,
  over_ms: 31_000,
  at: WALL,
  times: 1,
  ...change,
});

interface Configured {
  name: string;
  host: string | null;
  limits_act: Limit[];
  cgroup: null;
}

/** A manager with scripted hosts and a process `p`. */
class Rig {
  readonly clock = new SimulatedClock();
  readonly events = new DomainEvents((error) => {
    throw error;
  });
  readonly log = new LogBook({ capacity: 100, now: () => WALL });
  readonly frames: string[] = [];
  readonly changes: LimitChange[] = [];
  readonly requests: [host: string, name: string, request: Record<string, unknown>][] = [];
  /** The actions on processes. */
  readonly done: unknown[] = [];
  state: ProcessState = "started";
  run: string | null = "1-1";
  isUnknown = false;
  refusal: Error | null = null;
  processes = new Map<string, Configured>();
  readonly #sessions = new Map<string, { listener: HostListener; session: unknown }>();
  readonly limits: ManagerLimits;
  #seq = 0;

  constructor(...limits: Limit[]) {
    this.configure(["p", null, limits]);
    this.events.subscribe((event) => {
      if (event.type === "limits_upsert") this.frames.push(`upsert ${event.limits.name}`);
      if (event.type === "limits_remove") this.frames.push(`remove ${event.name}`);
    });
    const options = {
      clock: this.clock,
      config: () => ({ processes: this.processes }),
      events: this.events,
      hostName: "here",
      hosts: { session: (name: string) => this.#sessions.get(name)?.session ?? null },
      log: this.log,
      processes: {
        process: (name: string) => this.processes.get(name),
        livingRun: () => this.run,
        isUnknown: () => this.isUnknown,
        stateOf: () => this.state,
      },
      stopProcess: async (name: string, by: string) => {
        if (this.refusal !== null) throw this.refusal;
        this.done.push(["stop", name, by]);
        this.state = "stopping";
      },
      system: {
        send: (_kind: string, name: string, event: { type: string; runId: string; reason: string }) => {
          this.done.push([event.type, name, event.runId, event.reason]);
          this.state = "stopping";
        },
      },
    };
    // Only these parts of the core are used.
    this.limits = new ManagerLimits(options as unknown as ConstructorParameters<typeof ManagerLimits>[0]);
    this.limits.subscribe((change) => this.changes.push(change));
  }

  configure(...processes: [name: string, host: string | null, limits: Limit[]][]): void {
    this.processes = new Map(processes.map(([name, host, limits_act]) => [name, { name, host, limits_act, cgroup: null }]));
  }

  /** The host connects, with these rows in its table. */
  async connect(host: string, rows: HostLimits[] = []): Promise<void> {
    const session = {
      isOpen: true,
      session: "s",
      streamId: "life",
      command: async (send: (id: string) => unknown) => send("s"),
      link: {
        host,
        request: async (name: string, request: Record<string, unknown>) => {
          this.requests.push([host, name, request]);
          return name === "limits" ? { ...EMPTY_LIST, data: Buffer.from(JSON.stringify(rows)), seq: this.#seq } : {};
        },
        listen: (listener: HostListener) => {
          this.#sessions.set(host, { listener, session });
          return () => {};
        },
      },
    };
    this.#sessions.set(host, { listener: {}, session });
    this.events.publish({ type: "host_upsert", host: { name: host, state: "ready" } as HostEntry });
    await this.clock.settle();
  }

  report(host: string, ...all: HostReached[]): void {
    this.#sessions.get(host)?.listener.onNews?.limits?.({ seq: ++this.#seq, name: "p", limits: row(...all) });
  }

  get warnings(): string[] {
    return this.log.entries({ level: "warning" }).map(({ msg }) => msg);
  }
}

const row = (...all: HostReached[]): HostLimits => ({ name: "p", reached: all, cgroup_problem: null });

test("a limit that notifies is published, logged and announced, and so is its end; nothing is done to the process", async () => {
  const rig = new Rig(limit("notify"));
  await rig.connect("here");
  rig.report("here", reached("notify"));
  expect(rig.limits.list(FULL)).toEqual([
    {
      name: "p",
      host: "here",
      reached: [
        {
          measure: "memory",
          value: 2.1 * GIB,
          above: 2 * GIB,
          over_ms: 31_000,
          at: "2026-11-21T08:14:02.000",
          action: "notify",
          times: 1,
        },
      ],
      cgroup_problem: null,
    },
  ]);
  rig.report("here");
  expect(rig.frames).toEqual(["upsert p", "upsert p"]);
  expect(rig.changes.map(({ kind, name, host, text }) => [kind, name, host, text])).toEqual([
    ["reached", "p", "here", TEXT],
    ["ended", "p", "here", TEXT],
  ]);
  expect(rig.warnings).toEqual([`process 'p' needs attention: ${TEXT}`]);
  expect(rig.done).toEqual([]);
});

test("a run that reaches limits is recycled once and stopped once, with figure, limit and time as the reason", async () => {
  const rig = new Rig(limit("restart"), limit("stop"));
  await rig.connect("here");
  rig.report("here", reached("restart"));
  rig.report("here", reached("restart"), reached("stop"));
  rig.report("here", reached("restart", { times: 2 }), reached("stop", { times: 2 }));
  expect(rig.done).toEqual([
    ["recycle", "p", "1-1", `limit reached: ${TEXT}`],
    ["stop", "p", `its limit (${TEXT})`],
  ]);
  expect(rig.warnings).toEqual([
    `process 'p' has reached a limit: ${TEXT}; it is restarted`,
    `process 'p' has reached a limit: ${TEXT}; it is stopped`,
  ]);
});

test("a new manager acts on what the host reports when its run is known, and not on an earlier run", async () => {
  const rig = new Rig(limit("restart"));
  rig.run = null;
  rig.isUnknown = true;
  await rig.connect("here", [row(reached("restart"))]);
  expect(rig.done).toEqual([]);
  rig.run = "1-1";
  rig.isUnknown = false;
  rig.limits.stepped("p");
  await rig.clock.settle();
  expect(rig.done).toHaveLength(1);
  const later = new Rig(limit("restart"));
  later.run = "1-2";
  await later.connect("here", [row(reached("restart"))]);
  later.limits.stepped("p");
  await later.clock.settle();
  expect(later.done).toEqual([]);
  expect(later.limits.list(FULL)).toHaveLength(1);
});

test("a limit that was removed from the configuration while it was reported does nothing", async () => {
  const rig = new Rig(limit("restart"));
  await rig.connect("here");
  rig.configure(["p", null, [limit("notify")]]);
  rig.report("here", reached("restart"));
  expect(rig.done).toEqual([]);
});

test("a stop that is refused is logged, and tried again with the next report", async () => {
  const rig = new Rig(limit("stop"));
  await rig.connect("here");
  rig.refusal = new Error("the host is away");
  rig.report("here", reached("stop"));
  await rig.clock.settle();
  expect(rig.warnings.at(-1)).toBe("process 'p' could not be stopped: the host is away");
  rig.refusal = null;
  rig.report("here", reached("stop", { value: 3 * GIB }));
  expect(rig.done).toEqual([["stop", "p", "its limit (memory 3.00 GiB, over 2.00 GiB for 31 s)"]]);
});

test("each host gets the rules of its processes, and again after a reload; a lost host's limits go with its rules", async () => {
  const rig = new Rig(limit("notify"));
  rig.configure(["p", "far", [limit("notify")]], ["q", null, [limit("stop")]], ["none", null, []]);
  await rig.connect("here");
  await rig.connect("far", [row(reached("notify"))]);
  const sent = () => rig.requests.flatMap(([host, name, { rules }]) => (name === "set_limit_rules" ? [[host, rules]] : []));
  expect(sent()).toEqual([
    ["here", [{ name: "q", limits: [limit("stop")], cgroup: null }]],
    ["far", [{ name: "p", limits: [limit("notify")], cgroup: null }]],
  ]);
  rig.events.publish({ type: "host_upsert", host: { name: "far", state: "died" } as HostEntry });
  expect(rig.limits.list(FULL)).toHaveLength(1);
  rig.configure(["p", "far", []]);
  rig.limits.reconfigure();
  expect(rig.limits.list(FULL)).toEqual([]);
});

test("reached limits are dismissed on their host; without any nothing happens, and an unknown process is refused", async () => {
  const rig = new Rig(limit("notify"));
  await rig.connect("here", [row(reached("notify"))]);
  await rig.limits.clear("p", "ada");
  expect(rig.requests.at(-1)).toEqual(["here", "clear_limits", { session: "s", name: "p" }]);
  expect(rig.log.entries({ level: "info" }).at(-1)?.msg).toBe("the reached limits of 'p' were dismissed by ada");
  rig.configure(["q", null, []]);
  const before = rig.requests.length;
  await rig.limits.clear("q", "ada");
  expect(rig.requests).toHaveLength(before);
  await expect(rig.limits.clear("r", "ada")).rejects.toMatchObject({ code: "not_found" });
});
