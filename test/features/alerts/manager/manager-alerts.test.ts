import { expect, test } from "vitest";
import { DomainEvents } from "../../../../src/actors/domain-events.ts";
import type { HostListener } from "../../../../src/contract/host-link.ts";
import { EMPTY_LIST } from "../../../../src/contract/pages.ts";
import type { HostAlert } from "../../../../src/features/alerts/contract.ts";
import type { AlertChange } from "../../../../src/features/alerts/manager/alerts.ts";
import { ManagerAlerts } from "../../../../src/features/alerts/manager/manager-alerts.ts";
import { LogBook } from "../../../../src/log/log-book.ts";
import type { HostEntry } from "../../../../src/protocol/resources/resources.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const FULL = { kind: "full" } as const;
const WALL = Date.UTC(2026, 10, 21, 8, 14, 2);
const AT = "2026-11-21T08:14:02.000";
const silent = (name: string): HostAlert => ({ name, silent: { since: WALL }, output: null });
const matched = (name: string, matches = 1): HostAlert => ({
  name,
  silent: null,
  output: { since: WALL, last: WALL + 1_000 * (matches - 1), line: "lost \x1b[2J", matches },
});

/** A manager with scripted hosts. */
class Rig {
  readonly clock = new SimulatedClock();
  readonly events = new DomainEvents((error) => {
    throw error;
  });
  readonly log = new LogBook({ capacity: 100, now: () => WALL });
  readonly frames: string[] = [];
  readonly changes: AlertChange[] = [];
  readonly requests: [host: string, name: string, request: Record<string, unknown>][] = [];
  readonly #sessions = new Map<string, { listener: HostListener; session: unknown }>();
  processes = new Map<string, { name: string; host: string | null; alert: object | null }>();
  readonly alerts: ManagerAlerts;
  #seq = 0;

  constructor() {
    this.events.subscribe((event) => {
      if (event.type === "alert_upsert") this.frames.push(`upsert ${event.alert.name}`);
      if (event.type === "alert_remove") this.frames.push(`remove ${event.name}`);
    });
    const options = {
      clock: this.clock,
      config: () => ({ processes: this.processes }),
      events: this.events,
      hostName: "here",
      hosts: { session: (name: string) => this.#sessions.get(name)?.session ?? null },
      log: this.log,
      processes: { process: (name: string) => this.processes.get(name) },
    };
    // Only these parts of the core are used.
    this.alerts = new ManagerAlerts(options as unknown as ConstructorParameters<typeof ManagerAlerts>[0]);
    this.alerts.subscribe((change) => this.changes.push(change));
  }

  configure(...processes: [name: string, host: string | null, alert: object | null][]): void {
    this.processes = new Map(processes.map(([name, host, alert]) => [name, { name, host, alert }]));
  }

  /** The host connects, with these alerts in its table. */
  async connect(host: string, alerts: HostAlert[] = []): Promise<void> {
    const session = {
      isOpen: true,
      session: "s",
      streamId: "life",
      command: async (send: (id: string) => unknown) => send("s"),
      link: {
        host,
        request: async (name: string, request: Record<string, unknown>) => {
          this.requests.push([host, name, request]);
          return name === "alerts" ? { ...EMPTY_LIST, data: Buffer.from(JSON.stringify(alerts)), seq: this.#seq } : {};
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

  lose(host: string): void {
    this.events.publish({ type: "host_upsert", host: { name: host, state: "died" } as HostEntry });
  }

  report(host: string, name: string, alert: HostAlert | null): void {
    this.#sessions.get(host)?.listener.onNews?.alert?.({ seq: ++this.#seq, name, alert });
  }

  get warnings(): string[] {
    return this.log.entries({ level: "warning" }).map(({ msg }) => msg);
  }
}

test("each reason is published, logged and announced once, and so is its end", async () => {
  const rig = new Rig();
  rig.configure(["p", null, {}]);
  await rig.connect("here");
  rig.report("here", "p", silent("p"));
  rig.report("here", "p", { ...matched("p"), silent: { since: WALL } });
  rig.report("here", "p", matched("p", 2));
  rig.report("here", "p", null);
  expect(rig.frames).toEqual(["upsert p", "upsert p", "upsert p", "remove p"]);
  expect(rig.changes.map(({ kind, reason, alert }) => [kind, reason, alert.output?.matches])).toEqual([
    ["raised", "silent", undefined],
    ["raised", "output", 1],
    ["cleared", "silent", 1],
    ["cleared", "output", 2],
  ]);
  expect(rig.warnings).toEqual([
    `process 'p' needs attention: no output since ${AT}`,
    `process 'p' needs attention: its output matched at ${AT}: lost \\x1b[2J`,
  ]);
  expect(rig.alerts.list(FULL)).toEqual([]);
});

test("a host that is lost keeps its last alerts here; what it reports when it is back replaces them", async () => {
  const rig = new Rig();
  rig.configure(["p", "far", {}], ["q", "far", {}]);
  await rig.connect("far", [silent("p"), matched("q")]);
  rig.lose("far");
  expect(rig.alerts.list(FULL)).toMatchObject([{ name: "p", host: "far", silent: { since: AT } }, { name: "q" }]);
  rig.changes.length = 0;
  await rig.connect("far", [matched("q")]);
  expect(rig.alerts.list(FULL)).toMatchObject([{ name: "q" }]);
  expect(rig.changes).toMatchObject([{ kind: "cleared", name: "p", reason: "silent" }]);
  rig.lose("far");
  rig.configure(["p", "far", {}], ["q", "far", null]);
  rig.alerts.reconfigure();
  expect(rig.alerts.list(FULL)).toEqual([]);
  await rig.connect("far", [silent("p")]);
  rig.events.publish({ type: "host_remove", name: "far" });
  expect(rig.alerts.list(FULL)).toEqual([]);
});

test("each host gets the rules of its processes, in messages of a bounded size, and again after a reload", async () => {
  const rig = new Rig();
  const rule = { silent_for: 1_000, output_matches: null };
  const many = Array.from({ length: 250 }, (_, n): [string, string | null, object] => [`p${n}`, null, rule]);
  rig.configure(...many, ["far/p", "far", rule], ["none", null, null]);
  await rig.connect("here");
  await rig.connect("far");
  const sent = () =>
    rig.requests.flatMap(([host, name, request]) =>
      name === "set_alert_rules" ? [[host, (request.rules as unknown[]).length, request.is_first, request.is_last]] : [],
    );
  expect(sent()).toEqual([
    ["here", 100, true, false],
    ["here", 100, false, false],
    ["here", 50, false, true],
    ["far", 1, true, true],
  ]);
  rig.requests.length = 0;
  rig.configure(["far/p", null, rule]);
  rig.alerts.reconfigure();
  await rig.clock.settle();
  expect(sent().sort()).toEqual([
    ["far", 0, true, true],
    ["here", 1, true, true],
  ]);
});

test("an alert is dismissed on its host; without one nothing happens, and an unknown process is refused", async () => {
  const rig = new Rig();
  rig.configure(["p", "far", {}], ["q", null, {}]);
  await rig.connect("far", [silent("p")]);
  await rig.alerts.clear("p", "ada");
  expect(rig.requests.at(-1)).toEqual(["far", "clear_alert", { session: "s", name: "p" }]);
  expect(rig.log.entries({ level: "info" }).at(-1)?.msg).toBe("the alert of 'p' was dismissed by ada");
  const before = rig.requests.length;
  await rig.alerts.clear("q", "ada");
  expect(rig.requests).toHaveLength(before);
  await expect(rig.alerts.clear("r", "ada")).rejects.toMatchObject({ code: "not_found" });
});

test("the old host of a process that has moved does not end the alert of the new one", async () => {
  const rig = new Rig();
  rig.configure(["p", "two", {}]);
  await rig.connect("one", [silent("p")]);
  await rig.connect("two");
  rig.report("two", "p", matched("p"));
  rig.report("one", "p", null);
  expect(rig.alerts.list(FULL)).toMatchObject([{ name: "p", host: "two" }]);
});
