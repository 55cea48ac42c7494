import { describe, expect, it } from "vitest";
import type { Grant } from "../../../../src/base/access/access.ts";
import type { Principal } from "../../../../src/base/access/principal.ts";
import { CONFIRMATION_TIME_MS, MAX_CONFIRMATIONS, MAX_CONFIRMATIONS_OF_USER } from "../../../../src/features/mcp/limits.ts";
import { ManagerConfirmations } from "../../../../src/features/mcp/manager/confirmations.ts";
import { ConnectionRequests } from "../../../../src/features/mcp/manager/connection-requests.ts";
import type { Confirmation } from "../../../../src/features/mcp/wire.ts";
import { LogBook } from "../../../../src/log/log-book.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const STOP = { name: "sim/world", action: "stop", tool: "stop_process" } as const;
const user = (name: string, ...grants: Grant[]): Principal => ({ user: name, via: "basic", address: "", grants });
const ada = user("ada", { role: "admin", on: null });
const agent = user("token:agent", { role: "operator", on: null });

/** Confirmations of a manager with the processes `sim/world`, `sim/other` and `db`. */
class Rig {
  readonly clock = new SimulatedClock();
  readonly log = new LogBook({ capacity: 100, now: () => this.clock.now() });
  readonly pids = new Map<string, number | null>([
    ["sim/world", 11],
    ["sim/other", 12],
    ["db", null],
  ]);
  readonly confirmations = new ManagerConfirmations({
    clock: this.clock,
    log: this.log,
    process: (name) => {
      const pid = this.pids.get(name);
      return pid === undefined ? undefined : { host: "bench", pid };
    },
  });
  readonly none = new AbortController().signal;

  /** What a person sees now; call it again for the present list. */
  seenBy(person: Principal): () => readonly Confirmation[] {
    let seen: readonly Confirmation[] = [];
    this.confirmations.follow(person, (open) => {
      seen = open;
    });
    return () => seen;
  }

  /** The result of a question: the user who allowed it, or the refusal. */
  ask(wanted: Pick<Confirmation, "name" | "action" | "tool"> = STOP, by = agent, signal = this.none): Promise<string> {
    return (async () => this.confirmations.request(wanted, by, signal))().catch((error: { code: string; message: string }) => {
      return `${error.code}: ${error.message}`;
    });
  }

  answer({ id, name, agent }: Confirmation, allow: boolean, person = ada): void {
    this.confirmations.answer({ id, name, agent, allow }, person);
  }
}

const only = ([first, ...others]: readonly Confirmation[]): Confirmation => {
  expect(others).toEqual([]);
  return first ?? expect.fail("there is no question");
};

describe("a question of an agent", () => {
  it("is shown with agent, tool, run and times, and answered once", async () => {
    const rig = new Rig();
    const seen = rig.seenBy(ada);
    const result = rig.ask();
    const question = only(seen());
    expect(question).toMatchObject({ ...STOP, agent: "token:agent", host: "bench", pid: 11 });
    expect(Date.parse(question.until) - Date.parse(question.asked)).toBe(CONFIRMATION_TIME_MS);
    rig.answer(question, true);
    expect(await result).toBe("ada");
    expect(seen()).toEqual([]);
    expect(() => rig.answer(question, true)).toThrow("not open any more");
    expect(rig.log.entries().at(-1)?.msg).toBe("ada allowed that token:agent may stop 'sim/world'");
  });

  it("is refused by a person, and then nothing more can be said about it", async () => {
    const rig = new Rig();
    const seen = rig.seenBy(ada);
    const result = rig.ask();
    const question = only(seen());
    rig.answer(question, false);
    expect(await result).toBe("forbidden: ada refused it. Nothing was changed.");
    expect(() => rig.answer(question, true)).toThrow("not open any more");
  });

  it("is refused when its time is over, when it is cancelled, when the run ends, and when the manager ends", async () => {
    const rig = new Rig();
    const seen = rig.seenBy(ada);
    const late = rig.ask();
    const question = only(seen());
    rig.clock.advance(CONFIRMATION_TIME_MS);
    expect(await late).toMatch(/^timeout: No person has confirmed it within 180 s.*mgr stop sim\/world/);
    expect(() => rig.answer(question, true)).toThrow("not open any more");

    const controller = new AbortController();
    const cancelled = rig.ask(STOP, agent, controller.signal);
    expect(seen()).toHaveLength(1);
    controller.abort();
    expect(await cancelled).toContain("conflict: The call was cancelled");
    expect(await rig.ask(STOP, agent, controller.signal)).toContain("conflict: The call was cancelled");

    const outdated = rig.ask();
    rig.confirmations.stepped("sim/world");
    expect(seen()).toHaveLength(1);
    rig.pids.set("sim/world", 99);
    rig.confirmations.stepped("sim/world");
    expect(await outdated).toContain("conflict: 'sim/world' was started or ended");

    const last = rig.ask();
    rig.confirmations.close();
    expect(await last).toContain("shutting_down");
    expect(await rig.ask()).toContain("shutting_down");
    expect(seen()).toEqual([]);
  });

  it("is refused at once where no person is who may answer, and for a process that does not exist", async () => {
    const rig = new Rig();
    expect(await rig.ask()).toMatch(/^conflict: .*no user who may do that.*mgr agent questions --follow.*mgr stop sim\/world/);
    rig.seenBy(user("eve", { role: "viewer", on: null }, { role: "operator", on: ["db"] }));
    expect(await rig.ask()).toContain("no user who may do that");
    const stop = rig.confirmations.follow(ada, () => {});
    stop();
    expect(await rig.ask()).toContain("no user who may do that");
    expect(await rig.ask({ ...STOP, name: "sim/none" })).toContain("not_found");
  });

  it("is shown to those alone who may do it, and an answer counts for what was shown", async () => {
    const rig = new Rig();
    const all = rig.seenBy(ada);
    const some = rig.seenBy(user("bob", { role: "operator", on: ["db"] }));
    const results = [rig.ask(), rig.ask({ ...STOP, name: "db", action: "restart" })];
    expect(all().map(({ name }) => name)).toEqual(["sim/world", "db"]);
    const question = only(some());
    expect(question).toMatchObject({ name: "db", pid: null });
    expect(() => rig.answer({ ...question, name: "sim/world" }, true)).toThrow("not open any more");
    expect(() => rig.answer({ ...question, agent: "token:other" }, true)).toThrow("not open any more");
    expect(all()).toHaveLength(2);
    for (const each of all()) rig.answer(each, false);
    expect(await Promise.all(results)).toEqual([expect.stringContaining("forbidden"), expect.stringContaining("forbidden")]);
  });

  it("is neither shown to an access token nor answered by one", async () => {
    const rig = new Rig();
    const seenByToken = rig.seenBy(agent);
    expect(await rig.ask()).toContain("no user who may do that");
    const seen = rig.seenBy(ada);
    void rig.ask();
    expect(seenByToken()).toEqual([]);
    expect(() => rig.answer(only(seen()), true, agent)).toThrow("not with an access token");
  });

  it("takes the place of the same question of a call that its client gave up", async () => {
    const rig = new Rig();
    const seen = rig.seenBy(ada);
    const first = rig.ask();
    const second = rig.ask();
    expect(await first).toContain("conflict: The same question was asked again");
    rig.answer(only(seen()), true);
    expect(await second).toBe("ada");
  });

  it("is refused when too many of a user, or of all, wait", async () => {
    const rig = new Rig();
    const seen = rig.seenBy(ada);
    for (let index = 0; index <= MAX_CONFIRMATIONS; index++) rig.pids.set(`p${index}`, index);
    const ask = (index: number) => rig.ask({ ...STOP, name: `p${index}` }, user(`token:${Math.floor(index / MAX_CONFIRMATIONS_OF_USER)}`));
    const waiting = Array.from({ length: MAX_CONFIRMATIONS_OF_USER }, (_, index) => ask(index));
    expect(await rig.ask({ ...STOP, name: "db" }, user("token:0"))).toContain("busy: Too many questions");
    for (let index = MAX_CONFIRMATIONS_OF_USER; index < MAX_CONFIRMATIONS; index++) waiting.push(ask(index));
    expect(await ask(MAX_CONFIRMATIONS)).toContain("busy: Too many questions");
    expect(seen()).toHaveLength(MAX_CONFIRMATIONS);
    rig.answer(seen()[0] ?? expect.fail(), true);
    expect(await waiting[0]).toBe("ada");
    void ask(MAX_CONFIRMATIONS);
    expect(seen()).toHaveLength(MAX_CONFIRMATIONS);
  });
});

describe("the questions of a connection", () => {
  it("end by their keys, also before they begin, and with the connection", () => {
    const requests = new ConnectionRequests();
    const first = requests.begin("a");
    expect(() => requests.begin("a")).toThrow("choose another key");
    requests.cancel("a");
    expect(first.aborted).toBe(true);
    requests.cancel("b");
    expect(requests.begin("b").aborted).toBe(true);
    requests.end("b");
    const again = requests.begin("b");
    expect(again.aborted).toBe(false);
    requests.close();
    expect(again.aborted).toBe(true);
    expect(requests.begin("c").aborted).toBe(true);
  });
});
