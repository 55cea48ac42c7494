import { expect, test } from "vitest";
import { DomainEvents } from "../../../../src/actors/domain-events.ts";
import { type Condition, Conditions } from "../../../../src/app/conditions.ts";
import type { ManagerCore } from "../../../../src/app/feature.ts";
import type { EndedManager } from "../../../../src/features/manager-restart/contract.ts";
import { managerRestart } from "../../../../src/features/manager-restart/manager/index.ts";
import { LogBook } from "../../../../src/log/log-book.ts";
import type { HostEntry } from "../../../../src/protocol/resources/resources.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const LAUNCH = { executable: "/usr/bin/node", args: ["mgr.js", "up"], cwd: "/srv", environment: { LANG: "C" } };
const ENDED: EndedManager = { pid: 7, at: Date.UTC(2026, 10, 21, 8, 14, 2), how: "SIGKILL", last_output: "bad \x1b[2J", starts: 1 };

/** A manager on a host that remembers what it is asked. */
class Rig {
  readonly clock = new SimulatedClock();
  readonly log = new LogBook({ capacity: 100, now: () => this.clock.now() });
  readonly requests: { name: string; request: Record<string, unknown> }[] = [];
  readonly raised: Condition[] = [];
  readonly events = new DomainEvents(rethrow);
  readonly conditions = new Conditions(rethrow);
  restart_manager = true;
  replaced: EndedManager | null = null;
  session: string | null = "first";
  readonly feature;

  constructor(launch: object | null = LAUNCH) {
    const session = {
      isOpen: true,
      command: (send: (id: string | null) => Promise<unknown>) => send(this.session),
      link: {
        request: async (name: string, request: Record<string, unknown>) => {
          this.requests.push({ name, request });
          return { replaced: this.replaced };
        },
      },
    };
    const hosts = { session: () => (this.session === null ? null : { ...session, session: this.session }) };
    const { clock, log, events, conditions } = this;
    const core = { clock, log, events, conditions, launch, hosts, hostName: "here", config: () => ({ instance: this }) };
    conditions.subscribe((change) => {
      if (change.kind === "raised") this.raised.push(change.condition);
    });
    // Only these parts of the core are used.
    this.feature = managerRestart.attach(core as unknown as ManagerCore);
  }

  async hostReady(session: string): Promise<void> {
    this.session = session;
    this.events.publish({ type: "host_upsert", host: { name: "here", state: "ready" } as HostEntry });
    await this.clock.settle();
  }

  async started(): Promise<this> {
    this.feature.started?.();
    await this.clock.settle();
    return this;
  }

  get asked(): string[] {
    return this.requests.map(({ name, request }) => `${name} ${String(request.session)}`);
  }
}

function rethrow(error: unknown): never {
  throw error;
}

test("a manager in the foreground, or under systemd, asks for nothing", async () => {
  const rig = await new Rig(null).started();
  rig.feature.ending?.();
  expect(rig.requests).toEqual([]);
});

test("the daemon is told once the manager serves its clients, and again in each new session", async () => {
  const rig = new Rig();
  await rig.hostReady("first");
  expect(rig.requests).toEqual([]);
  await rig.started();
  expect(rig.requests).toEqual([{ name: "keep_manager", request: { session: "first", pid: process.pid, launch: LAUNCH } }]);
  await rig.hostReady("first");
  await rig.hostReady("second");
  expect(rig.asked).toEqual(["keep_manager first", "keep_manager second"]);
});

test("the daemon is told that the manager ends, and nothing more after that", async () => {
  const rig = await new Rig().started();
  rig.feature.ending?.();
  await rig.hostReady("second");
  rig.feature.reconfigured?.();
  expect(rig.asked).toEqual(["keep_manager first", "release_manager first"]);
});

test("with restart_manager: false the manager is not kept, and a reload changes that", async () => {
  const rig = new Rig();
  rig.restart_manager = false;
  await rig.started();
  rig.restart_manager = true;
  rig.feature.reconfigured?.();
  expect(rig.asked).toEqual(["release_manager first", "keep_manager first"]);
});

test("the end of the manager before is logged with its last output, and is a condition for two minutes", async () => {
  const rig = new Rig();
  rig.replaced = ENDED;
  await rig.started();
  const [entry] = rig.log.entries();
  const text = "the manager (pid 7) ended unexpectedly (SIGKILL) at 2026-11-21T08:14:02.000 and was started again by its daemon";
  expect(entry).toMatchObject({ level: "error", msg: `${text}. Its last output: bad \\x1b[2J` });
  expect(rig.raised).toEqual([{ kind: "manager_restarted", process: null, host: null, text }]);
  await rig.clock.advance(119_000);
  expect(rig.conditions.present.size).toBe(1);
  await rig.clock.advance(2_000);
  expect(rig.conditions.present.size).toBe(0);
});

test("a command with more environment than a message can have is not kept, with the reason in the log", async () => {
  const rig = await new Rig({ ...LAUNCH, environment: { LARGE: "x".repeat(600_000) } }).started();
  expect(rig.requests).toEqual([]);
  expect(rig.log.entries()[0]).toMatchObject({ level: "warning", msg: expect.stringMatching(/not started again .*the limit is \d+$/) });
});
