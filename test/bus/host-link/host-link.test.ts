import { describe, expect, it } from "vitest";
import { MgrError } from "../../../src/base/errors.ts";
import { createBroker } from "../../../src/bus/broker/broker.ts";
import { LocalBus } from "../../../src/bus/client/local-bus.ts";
import { decodeAnswer } from "../../../src/bus/client/rpc-envelope.ts";
import { busHostLink, serveHost } from "../../../src/bus/host-link/host-link.ts";
import type { HostLink, HostListener } from "../../../src/contract/host-link.ts";
import type { HostHeartbeat, HostRequestName, OutputWindows, RequestOf, ResponseOf } from "../../../src/contract/messages.ts";
import { hostSubject } from "../../../src/contract/subjects.ts";
import { BusRig } from "../bus-rig.ts";

const NAME = "bench.lab *>";
const BEAT: HostHeartbeat = { host: NAME, contract: 1, pid: 7, stream_id: "s", session: null, seq: 0 };

/** A host without processes: it notes what it is told, and says what the test wants. */
class ScriptedHost implements HostLink {
  readonly host = NAME;
  readonly notified: string[] = [];
  /** What each request is answered with, in their order; by default at once. */
  answer: (name: HostRequestName) => Promise<object> = async () => ({});
  announced = 0;
  readonly listeners = new Set<HostListener>();

  request<N extends HostRequestName>(name: N, request: RequestOf<N>): Promise<ResponseOf<N>> {
    this.notified.push(`${name} ${"text" in request ? request.text : ""}`.trim());
    return this.answer(name) as Promise<ResponseOf<N>>;
  }

  window(windows: OutputWindows): void {
    this.notified.push(`window ${windows.windows.length}`);
  }

  heartbeat(session: string): void {
    this.notified.push(`alive ${session}`);
  }

  hasRoom: (() => boolean) | null = null;
  notifyRoom = () => {};

  paceOutput(hasRoom: (() => boolean) | null): void {
    this.hasRoom = hasRoom;
  }

  outputRoom(): void {
    this.notifyRoom();
  }

  announce(): void {
    this.announced++;
    this.say((listener) => listener.onHeartbeat?.(BEAT));
  }

  listen(listener: HostListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  say(message: (listener: HostListener) => void): void {
    for (const listener of this.listeners) message(listener);
  }

  async close(): Promise<void> {}
}

type Way = "a connection" | "the manager's own end of the broker";

async function linkRig(way: Way = "a connection") {
  const rig = await BusRig.start();
  const problems: string[] = [];
  const log = (_level: string, msg: string) => void problems.push(msg);
  const [manager, control, bulk] = await Promise.all([rig.bus("manager"), rig.bus("control"), rig.bus("bulk")]);
  const host = new ScriptedHost();
  const managersEnd = way === "a connection" ? manager : new LocalBus(rig.broker);
  const link = busHostLink(managersEnd, NAME, { log, timeoutMs: 60_000 });
  await manager.flush();
  const served = serveHost({ control, bulk, host, log });
  await control.flush();
  const settle = async () => {
    for (const bus of [manager, control, bulk, manager]) await bus.flush();
  };
  return {
    rig,
    problems,
    manager,
    managersEnd,
    control,
    bulk,
    host,
    link,
    served,
    settle,
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  };
}

const write = (text: string): RequestOf<"write"> => ({ session: "s", run_id: "1-1", text });

const WAYS: Way[] = ["a connection", "the manager's own end of the broker"];

describe.each(WAYS)("the host link over the bus, through %s", (way) => {
  it("passes requests, windows and heartbeats to the host in the order in which the manager made them", async () => {
    await using one = await linkRig(way);
    const pending: Promise<unknown>[] = [];
    const expected: string[] = [];
    for (let n = 0; n < 100; n++) {
      pending.push(one.link.request("write", write(`${n}`)));
      one.link.window({ session: "s", windows: [] });
      pending.push(one.link.request("stop", { session: "s", run_id: "1-1", steps: [{ signal: "SIGTERM", timeout_ms: 1 }] }));
      one.link.heartbeat(`${n}`);
      expected.push(`write ${n}`, "window 0", "stop", `alive ${n}`);
    }
    await Promise.all(pending);
    await one.settle();
    expect(one.host.notified).toEqual(expected);
  });

  it("does not delay a later request for an earlier one", async () => {
    await using one = await linkRig(way);
    let release = () => {};
    one.host.answer = (name) => (name === "write" ? new Promise((resolve) => (release = () => resolve({}))) : Promise.resolve({}));
    const answered: string[] = [];
    const slow = one.link.request("write", write("x")).then(() => answered.push("write"));
    await one.link.request("signal", { session: "s", run_id: "1-1", signal: "SIGHUP" });
    answered.push("signal");
    release();
    await slow;
    expect(answered).toEqual(["signal", "write"]);
  });

  it("carries the host's errors with code, message and details", async () => {
    await using one = await linkRig(way);
    one.host.answer = async () => {
      throw new MgrError("conflict", "it lives", { details: { run: 1 } });
    };
    await expect(one.link.request("write", write("x"))).rejects.toMatchObject({
      code: "conflict",
      message: "it lives",
      details: { run: 1 },
    });
  });

  it("rejects with host_unavailable if there is no daemon, and with timeout if the daemon does not answer", async () => {
    await using one = await linkRig(way);
    const nobody = busHostLink(one.managersEnd, "elsewhere");
    await expect(nobody.request("write", write("x"))).rejects.toMatchObject({ code: "host_unavailable" });
    const mute = busHostLink(one.managersEnd, NAME, { timeoutMs: 30 });
    one.host.answer = () => new Promise(() => {});
    await expect(mute.request("write", write("x"))).rejects.toMatchObject({ code: "timeout" });
    await Promise.all([nobody.close(), mute.close()]);
  });

  it("delivers events, heartbeats and log lines in the order in which the host sent them, and output byte for byte", async () => {
    await using one = await linkRig(way);
    const heard: unknown[] = [];
    one.link.listen({
      onHeartbeat: (beat) => heard.push(beat.seq),
      onLog: (entry) => heard.push(entry.msg),
      onOutput: (chunk) => heard.push({ ...chunk, data: Buffer.from(chunk.data).toString("hex") }),
    });
    one.host.say((listener) => {
      listener.onHeartbeat?.({ ...BEAT, seq: 1 });
      listener.onLog?.({ level: "info", source: "daemon", msg: "between" });
      listener.onHeartbeat?.({ ...BEAT, seq: 2 });
    });
    await one.settle();
    expect(heard).toEqual([1, "between", 2]);
    heard.length = 0;
    const data = Uint8Array.from({ length: 65_536 }, (_, index) => index % 256);
    one.host.say((listener) => listener.onOutput?.({ name: "grün/ü", stream_id: "s", offset: 2 ** 40, gap: 0, data }));
    await one.settle();
    expect(heard).toEqual([{ name: "grün/ü", stream_id: "s", offset: 2 ** 40, gap: 0, data: Buffer.from(data).toString("hex") }]);
  });

  it("delivers each of equal heartbeats, and drops each of equal malformed ones", async () => {
    await using one = await linkRig(way);
    const heard: HostHeartbeat[] = [];
    one.link.listen({ onHeartbeat: (beat) => heard.push(beat) });
    const say = (seq: number) => one.host.say((listener) => listener.onHeartbeat?.({ ...BEAT, seq }));
    const garble = () => one.control.publish(hostSubject(NAME, "heartbeat"), '{"seq":"x"}');
    for (const seq of [7, 7, 8, 7]) say(seq);
    for (const step of [garble, garble, () => say(7), () => say(7)]) step();
    await one.settle();
    expect(heard).toEqual([7, 7, 8, 7, 7, 7].map((seq) => ({ ...BEAT, seq })));
  });

  it("drops malformed messages on either side, counts them, and continues", async () => {
    await using one = await linkRig(way);
    const heard: unknown[] = [];
    one.link.listen({
      onEvent: (event) => heard.push(event),
      onHeartbeat: (beat) => heard.push(beat.seq),
      onOutput: (chunk) => heard.push(chunk),
    });
    for (const leaf of ["event", "heartbeat", "output", "log"]) one.control.publish(hostSubject(NAME, leaf), '{"seq":"x"}');
    for (const leaf of ["window", "alive", "do.nonsense", "do.constructor"]) one.manager.publish(hostSubject(NAME, leaf), "\u0000");
    one.host.say((listener) => listener.onHeartbeat?.({ ...BEAT, seq: 9 }));
    await one.settle();
    expect(heard).toEqual([9]);
    expect(one.host.notified).toEqual([]);
    // Two ends, one log: each logs its first at once and counts the others quietly.
    expect(one.problems).toHaveLength(2);
    expect(one.problems.join("\n")).toMatch(/malformed 'window' for host .*\(1 in all\)/);
    expect(one.problems.join("\n")).toMatch(/malformed 'event' of host .*\(1 in all\)/);
  });

  it("refuses a request that the host does not know, at once", async () => {
    await using one = await linkRig(way);
    const answer = await one.manager.request(hostSubject(NAME, "do.nonsense"), "{}", { timeoutMs: 60_000 });
    expect(() => decodeAnswer(answer.data)).toThrow(expect.objectContaining({ code: "unknown_action" }));
    expect(one.host.notified).toEqual([]);
  });

  it("never publishes a message over the limit", async () => {
    await using one = await linkRig(way);
    one.host.say((listener) => listener.onLog?.({ level: "info", source: "daemon", msg: "x".repeat(600_000) }));
    await one.settle();
    expect(one.problems.join()).toMatch(/'log' of host .* was not sent: .*the limit is 524288/);
  });

  it("notifies the host when its output is blocked, and when it flows again", async () => {
    await using one = await linkRig(way);
    let received = 0;
    one.link.listen({
      onOutput: ({ data }) => {
        received += data.length;
      },
    });
    const chunk = { name: "p", stream_id: "s", gap: 0, data: Buffer.alloc(64 * 1024, "x") };
    for (let round = 0; round < 5; round++) {
      const before = received;
      const roomAgain = new Promise<void>((resolve) => {
        one.host.notifyRoom = resolve;
      });
      let sent = 0;
      // Nobody reads within this turn: the kernel's buffer and ours become full.
      while (one.host.hasRoom?.() && sent < 512)
        one.host.say((listener) => listener.onOutput?.({ ...chunk, offset: sent++ * chunk.data.length }));
      expect(sent).toBeLessThan(64);
      await roomAgain;
      expect(one.host.hasRoom?.()).toBe(true);
      await expect.poll(() => received - before).toBe(sent * chunk.data.length);
    }
    one.served.close();
    expect(one.host.hasRoom).toBeNull();
  });

  it("leaves nothing on the bus when both ends are closed", async () => {
    await using one = await linkRig(way);
    const before = one.rig.broker.stats().subscriptions;
    expect(before).toBeGreaterThan(3);
    one.served.close();
    await one.link.close();
    await one.settle();
    // The reply subjects of the connections remain, and of the manager's own end.
    expect(one.rig.broker.stats().subscriptions).toBe(way === "a connection" ? 3 : 4);
    expect(one.host.listeners.size).toBe(0);
    await expect(one.link.request("write", write("x"))).rejects.toMatchObject({ code: "host_unavailable" });
  });
});

describe("the host link over the bus", () => {
  it("lets the host announce itself at once and again after each reconnect, and continues with the same link", async () => {
    await using one = await linkRig();
    expect(one.host.announced).toBe(1);
    const beats: number[] = [];
    let heard = () => {};
    one.link.listen({
      onHeartbeat: (beat) => {
        beats.push(beat.seq);
        heard();
      },
    });
    const back = Promise.all(
      [one.manager, one.control].map((bus) => new Promise<void>((resolve) => bus.onConnection((isUp) => isUp && resolve()))),
    );
    const lost = new Promise<void>((resolve) => one.control.onConnection((isUp) => !isUp && resolve()));
    await one.rig.broker.close();
    await lost;
    one.link.heartbeat("nobody hears this");
    one.host.say((listener) => listener.onLog?.({ level: "info", source: "daemon", msg: "nor this" }));
    await expect(one.link.request("write", write("x"))).rejects.toMatchObject({ code: "host_unavailable" });
    one.rig.broker = createBroker();
    await one.rig.broker.listenUnix(one.rig.path);
    await back;
    // Two connections: what one has sent may be read before what the other sent earlier.
    await one.control.flush();
    // The broker has the host's subscriptions before the manager's next word.
    await one.control.flush();
    expect(one.host.announced).toBe(2);
    await one.link.request("write", write("again"));
    const next = new Promise<void>((resolve) => {
      heard = resolve;
    });
    one.host.announce();
    await next;
    expect(beats).toContain(0);
    expect(one.host.notified).toEqual(["write again"]);
  });
});
