import { afterEach, describe, expect, it } from "vitest";
import { setup } from "xstate";
import { ActorSystem } from "../../../src/actors/system.ts";
import { HostController } from "../../../src/app/hosts/host-controller.ts";
import { MgrError } from "../../../src/base/errors.ts";
import { CONTRACT_VERSION, HEARTBEAT_LOST_MS, type HostEvent } from "../../../src/contract/messages.ts";
import type { RunReport } from "../../../src/contract/run.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import { OutputHub } from "../../../src/transport/output/output-hub.ts";
import { testClock } from "../../actors/support/clock.ts";
import { ended, report } from "../../support/fakes/run-reports.ts";
import { hello, page, ScriptedLink, settled } from "../support/scripted-link.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A conductor between a scripted host and actors that write down what they hear. */
function rig(names = ["a", "b"], isDirect = false) {
  const clock = testClock();
  const link = new ScriptedLink(isDirect);
  const log = new LogBook({ capacity: 100, now: clock.now });
  const heard: string[] = [];
  const listener = (name: string) =>
    setup({
      actions: {
        write: ({ event }) => {
          const run = "run" in event ? (event.run as RunReport | null) : undefined;
          heard.push(`${name} ${event.type}${run === undefined ? "" : ` ${run?.run_id ?? "none"}`}`);
        },
      },
    }).createMachine({ on: { "*": { actions: "write" } } });
  const system = new ActorSystem({
    clock,
    log: () => {},
  });
  for (const name of names) system.spawn("process", name, () => ({ machine: listener(name), input: undefined }));
  const hub = new OutputHub({ clock, source: { window: () => {}, hostOf: () => "bench" } });
  for (const name of names) hub.processAppeared(name);
  const controller = new HostController({
    host: "bench",
    link,
    epoch: 1,
    clock,
    system,
    hub,
    log,
    isLocal: true,
    stopAfterMs: () => null,
    bus: () => ({ hub: null, max_payload: 1_048_576, memory: null }),
    turn: () => Promise.resolve(),
    processTable: {
      namesAt: () => [...names],
      hostOf: (name) => (names.includes(name) ? "bench" : null),
      isUnknown: () => false,
      foundAt: () => {},
      concerns: (name) => names.includes(name),
      noteChecks: () => {},
    },
    onPastRuns: () => {},
    onChecks: () => {},
    onHostChanged: () => {},
  });
  system.listen({
    onEmit: (kind, _name, event) => {
      if (kind === "host") controller.onEmit(event as Parameters<HostController["onEmit"]>[0]);
    },
  });
  controller.begin();
  closing.push(() => {
    controller.close();
    system.stopAll();
    hub.close();
  });

  let seq = 0;
  const event = (kind: HostEvent["kind"], run: RunReport) => link.event({ seq: ++seq, kind, run });
  /** The host says that it is there, is greeted, and reports these runs. */
  const ready = async (runs: RunReport[] = [], stream = "stream-a", session = "s1") => {
    seq = 0;
    link.beat({ session: null, stream_id: stream });
    await link.next("hello").answer(hello(session, stream));
    await link.next("report").answer(page(0, runs));
    await settled();
  };
  /** Somebody follows the output of `name`; so much of it has come. */
  const follow = (name: string) => {
    const subscription = hub.open({ sink: { output: () => {} }, contains: () => true, everything: false });
    void hub.subscribe(subscription, [name]);
  };
  const output = (name: string, offset: number, length: number) =>
    hub.receive("bench", { name, stream_id: "stream-a", offset, gap: 0, data: new Uint8Array(length).fill(0x61) });
  const anchor = (name: string) => hub.receive("bench", { name, stream_id: "stream-a", offset: 0, gap: 0, data: new Uint8Array(0) });
  return { clock, link, log, heard, system, controller, event, ready, follow, output, anchor };
}

const run = (name: string, id = "1-1", more: Partial<RunReport> = {}) => report(id, { name, ...more });
const over = (name: string, id = "1-1", offset = 0) => run(name, id, { ...ended(0), final_offset: offset });

describe("a host that became ready", () => {
  it("reports to its processes, also to those that it never ran", async () => {
    const { heard, log, ready } = rig();
    await ready([run("a", "1-4")]);
    expect(heard).toEqual(["a report 1-4", "b report none"]);
    expect(log.entries().map((entry) => entry.msg)).toContain("host 'bench' is ready");
  });

  it("does not report a process as never run whose run began while the table was read", async () => {
    const { heard, link } = rig();
    link.beat({ session: null });
    await link.next("hello").answer(hello());
    link.event({ seq: 1, kind: "spawned", run: run("b") });
    await link.next("report").answer(page(0));
    await settled();
    expect(heard).toEqual(["a report none", "b run.spawned 1-1"]);
  });
});

describe("a host that sends nothing", () => {
  it("is lost 6 s after its last heartbeat, and not before", async () => {
    const { clock, heard, link, ready } = rig(["a"]);
    await ready();
    heard.length = 0;
    for (let beats = 0; beats < 4; beats++) {
      clock.advance(HEARTBEAT_LOST_MS - 1_000);
      link.beat();
    }
    clock.advance(HEARTBEAT_LOST_MS - 1);
    expect(heard).toEqual([]);
    clock.advance(1);
    expect(heard).toEqual(["a host.lost"]);
  });

  it("is not lost if it is in this process", async () => {
    const { clock, heard, ready } = rig(["a"], true);
    await ready();
    heard.length = 0;
    clock.advance(10 * HEARTBEAT_LOST_MS);
    expect(heard).toEqual([]);
  });
});

describe("results of probes and watches", () => {
  it("reach their process, also if no manager ran when they were found", async () => {
    const { heard, ready, event } = rig();
    await ready([run("a", "1-1", { unhealthy: "not alive" }), run("b", "1-2", { unhealthy: "not alive", stopping: true })]);
    expect(heard).toEqual(["a report 1-1", "a liveness.failed", "b report 1-2"]);
    heard.length = 0;
    event("watch", run("b", "1-3", { changed_file: "/src/a.js" }));
    event("unhealthy", run("a", "1-1", { unhealthy: "not alive" }));
    event("unhealthy", { ...over("a"), unhealthy: "not alive" });
    await settled();
    expect(heard).toEqual(["b files.changed", "a liveness.failed"]);
  });
});

describe("runs of names that are not configured", () => {
  it("are stopped, once and until the host has accepted it, which is logged", async () => {
    const { link, log, ready, event } = rig(["a"]);
    await ready([run("old", "1-9"), run("gone", "1-8", { extinct: true })]);
    const stop = link.next("stop");
    expect(stop.request).toMatchObject({ run_id: "1-9", session: "s1" });
    expect(log.entries({ level: "warning" }).map((entry) => entry.msg)).toEqual([
      "process 'old' (pid 4711) is not configured any more: it is stopped",
    ]);
    // A gap: the table comes again, and the stop is still under way.
    event("changed", run("old", "1-9"));
    link.event({ seq: 9, kind: "changed", run: run("old", "1-9") });
    await link.next("report").answer(page(9, [run("old", "1-9")]));
    expect(link.asked).toEqual([]);
    await stop.answer({});
  });

  it("are no error if they have just ended", async () => {
    const { link, log, ready } = rig(["a"]);
    await ready([run("old", "1-9")]);
    const { MgrError } = await import("../../../src/base/errors.ts");
    await link.next("stop").refuse(new MgrError("not_running", "over"));
    expect(log.entries({ level: "error" })).toEqual([]);
  });
});

describe("the end of a run", () => {
  it("is reported at once if nothing follows its output", async () => {
    const { heard, ready, event } = rig(["a"]);
    await ready();
    heard.length = 0;
    event("spawned", run("a"));
    event("exited", over("a", "1-1", 500));
    await settled();
    expect(heard).toEqual(["a run.spawned 1-1", "a run.exited 1-1"]);
  });

  it("never arrives before its output, and later events of the same process never before it", async () => {
    const { heard, ready, event, follow, output, anchor } = rig();
    await ready();
    follow("a");
    anchor("a");
    heard.length = 0;
    event("spawned", run("a"));
    output("a", 0, 100);
    event("exited", over("a", "1-1", 500));
    event("extinct", run("a", "1-1", { ...ended(0), final_offset: 500, extinct: true }));
    event("spawned", run("a", "1-2"));
    event("spawned", run("b", "1-3"));
    await settled();
    expect(heard).toEqual(["a run.spawned 1-1", "b run.spawned 1-3"]);
    output("a", 100, 300);
    await settled();
    expect(heard.length).toBe(2);
    output("a", 400, 100);
    await settled();
    expect(heard.slice(2)).toEqual(["a run.exited 1-1", "a run.extinct 1-1", "a run.spawned 1-2"]);
  });

  it("waits one second at most for output that does not come", async () => {
    const { clock, heard, ready, event, follow, anchor } = rig(["a"]);
    await ready();
    follow("a");
    anchor("a");
    heard.length = 0;
    event("exited", over("a", "1-1", 500));
    // In small steps: timers that follow each other are each set at the time of the one before.
    const advance = (milliseconds: number) => {
      for (let passed = 0; passed < milliseconds; passed += 10) clock.advance(10);
    };
    advance(900);
    await settled();
    expect(heard).toEqual([]);
    advance(200);
    await settled();
    expect(heard).toEqual(["a run.exited 1-1"]);
  });

  it("that waits for output is reported before its daemon's death: it was seen, and no more output comes", async () => {
    const { heard, ready, event, follow, anchor, system } = rig(["a"]);
    await ready();
    follow("a");
    anchor("a");
    event("exited", over("a", "1-1", 500));
    heard.length = 0;
    system.send("host", "bench", { type: "daemon.exited" });
    await settled();
    expect(heard).toEqual(["a host.lost", "a run.exited 1-1", "a host.died"]);
  });
});

describe("a host that falls silent", () => {
  it("is reported once; its session is discarded", async () => {
    const { clock, heard, ready, controller, log } = rig(["a"]);
    await ready();
    heard.length = 0;
    clock.advance(6_000);
    expect(heard).toEqual(["a host.lost"]);
    expect(controller.session.isOpen).toBe(false);
    expect(log.entries({ level: "warning" }).at(-1)?.msg).toContain("does not answer");
  });

  it("and comes back is greeted and reports again", async () => {
    const { clock, heard, ready, controller } = rig(["a"]);
    await ready([run("a")]);
    clock.advance(6_000);
    heard.length = 0;
    await ready([run("a")], "stream-a", "s2");
    expect(heard).toEqual(["a report 1-1"]);
    expect(controller.session.session).toBe("s2");
  });
});

describe("a daemon that came back as another one", () => {
  it("is reported as the death of the first, then the readiness of the second, whose session stays open", async () => {
    const { heard, ready, controller } = rig(["a"]);
    await ready([run("a")]);
    heard.length = 0;
    await ready([], "stream-b", "s2");
    expect(heard).toEqual(["a host.lost", "a host.died", "a report none"]);
    expect(controller.session.isOpen).toBe(true);
    expect(controller.session.session).toBe("s2");
  });
});

describe("a daemon of another version", () => {
  it("is told by a refused hello, and its processes are not affected", async () => {
    const { heard, link, controller, log } = rig(["a"]);
    link.beat({ contract: CONTRACT_VERSION + 1, session: null });
    link.beat({ contract: CONTRACT_VERSION + 1, session: null });
    const asked = link.next("hello");
    expect(asked.request.contracts).toContain(CONTRACT_VERSION);
    await asked.refuse(new MgrError("forbidden", "another version"));
    expect([link.asked, heard, controller.session.isOpen]).toEqual([[], [], false]);
    expect(log.entries({ level: "error" }).map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/speaks contract 2, this manager 1: .*nothing was stopped/),
    ]);
  });
});

describe("an actor that was rebuilt", () => {
  it("receives the last report of its host about its process", async () => {
    const { heard, ready, event, controller } = rig();
    await ready([run("a")]);
    event("ready", run("a", "1-1", { ready: true }));
    heard.length = 0;
    controller.reportAgain("a");
    controller.reportAgain("b");
    expect(heard).toEqual(["a report 1-1", "b report none"]);
    expect(controller.lastReport("a")).toMatchObject({ ready: true });
  });

  it("receives nothing before the first report", () => {
    const { heard, controller } = rig();
    controller.reportAgain("a");
    expect(heard).toEqual([]);
  });
});
