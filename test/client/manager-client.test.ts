import { afterEach, describe, expect, it, vi } from "vitest";
import { ManagerClient } from "../../src/client/manager-client.ts";
import type { ClientFrame } from "../../src/protocol/frames/frames.ts";
import { FakeLink } from "./support/fake-link.ts";

afterEach(() => void vi.useRealTimers());

function rig() {
  const link = new FakeLink();
  return { link, client: new ManagerClient(link) };
}

const start = (name: string): ClientFrame => ({ type: "start_process", name });

describe("a request", () => {
  it("gets the answer with its request_id, whatever comes between and in whatever order", async () => {
    const { link, client } = rig();
    const first = client.request(start("a"));
    const second = client.request(start("b"));
    expect(link.sent).toEqual([
      { type: "start_process", name: "a", request_id: 1 },
      { type: "start_process", name: "b", request_id: 2 },
    ]);
    link.say({ type: "process_upsert" });
    link.say({ type: "ack", request_type: "start_process", request_id: 99 });
    link.say({ type: "ack", request_type: "start_process", request_id: 2 });
    link.say({ type: "ack", request_type: "start_process", request_id: 1 });
    expect(await first).toMatchObject({ request_id: 1 });
    expect(await second).toMatchObject({ request_id: 2 });
  });

  it("keeps a request_id of its own, which no other request may use meanwhile", async () => {
    const { link, client } = rig();
    const mine = client.request({ ...start("a"), request_id: "mine" });
    await expect(client.request({ ...start("a"), request_id: "mine" })).rejects.toMatchObject({ code: "conflict" });
    const taken = client.request({ ...start("a"), request_id: 1 });
    const next = client.request(start("b"));
    expect(link.sent.map((frame) => frame.request_id)).toEqual(["mine", 1, 2]);
    for (const request_id of ["mine", 1, 2]) link.say({ type: "ack", request_id });
    expect(await mine).toMatchObject({ request_id: "mine" });
    await Promise.all([taken, next]);
  });

  it("rejects with the code and sentence of an error frame", async () => {
    const { link, client } = rig();
    const refused = expect(client.request(start("x"))).rejects.toMatchObject({
      name: "MgrError",
      code: "not_found",
      message: "there is no process 'x'",
    });
    link.say({ type: "error", code: "not_found", message: "there is no process 'x'", request_id: 1 });
    await refused;
  });

  it("rejects with the code of a result frame that is not ok", async () => {
    const { link, client } = rig();
    const refused = expect(client.request(start("x"))).rejects.toMatchObject({ code: "conflict", message: "running" });
    link.say({ type: "logger_action_result", ok: false, code: "conflict", message: "running", request_id: 1 });
    await refused;
    const vague = expect(client.request(start("x"))).rejects.toMatchObject({ code: "internal", message: "'process_loads' failed" });
    link.say({ type: "process_loads", ok: false, code: "no such code", request_id: 2 });
    await vague;
  });

  it("rejects with timeout, and an answer that still comes changes nothing", async () => {
    vi.useFakeTimers();
    const { link, client } = rig();
    const late = expect(client.request(start("a"), { timeout: 100 })).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("100 ms"),
    });
    await vi.advanceTimersByTimeAsync(100);
    await late;
    link.say({ type: "ack", request_id: 1 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("rejects when the link is not open, is lost, or is closed", async () => {
    const { link, client } = rig();
    const unavailable = { code: "host_unavailable" };
    const lost = expect(client.request(start("a"))).rejects.toMatchObject({ ...unavailable, message: expect.stringContaining("lost") });
    link.lose();
    await lost;
    await expect(client.request(start("a"))).rejects.toMatchObject(unavailable);
    link.state$.next({ kind: "open" });
    const closed = expect(client.request(start("a"))).rejects.toMatchObject(unavailable);
    client.close();
    await closed;
    await expect(client.request(start("a"))).rejects.toMatchObject(unavailable);
    await expect(client.opened()).rejects.toMatchObject(unavailable);
  });
});

describe("many requests", () => {
  it("of one type are under way 32 at a time, the others in order behind them", async () => {
    const { link, client } = rig();
    const answers = Array.from({ length: 100 }, (_, n) => client.request(start(`p${n}`)));
    expect(link.sent).toHaveLength(32);
    for (let n = 0; n < 100; n++) link.say({ type: "ack", request_id: link.sent[n]?.request_id });
    await Promise.all(answers);
    expect(link.sent.map((frame) => "name" in frame && frame.name)).toEqual(Array.from({ length: 100 }, (_, n) => `p${n}`));
  });

  it("beyond 8 MiB or 10,000 are busy, and waiting ones still get their answers", async () => {
    const { link, client } = rig();
    const loud = { type: "send_stdin", name: "a", text: "x".repeat(1024 * 1024) } as const;
    const ends = Promise.allSettled(Array.from({ length: 45 }, () => client.request(loud)));
    for (let n = 0; n < link.sent.length; n++) link.say({ type: "ack", request_id: link.sent[n]?.request_id });
    const codes = (await ends).map((end) => (end.status === "rejected" ? (end.reason as { code: string }).code : "ok"));
    expect(codes.slice(0, 39)).toEqual(Array.from({ length: 39 }, () => "ok"));
    expect(codes.slice(39)).toEqual(Array.from({ length: 6 }, () => "busy"));
    const more = Promise.allSettled(Array.from({ length: 10_033 }, () => client.request(start("a"))));
    client.close();
    const refused = (await more).map((end) => end.status === "rejected" && (end.reason as { code: string }).code);
    expect(refused.filter((code) => code === "busy")).toHaveLength(1);
    expect(refused.filter((code) => code === "host_unavailable")).toHaveLength(10_032);
  });

  it("of one type do not delay those of others, and nothing overtakes a request about the same process", async () => {
    const { link, client } = rig();
    const slow = Array.from({ length: 40 }, () => client.request({ type: "request_process_loads" }));
    const stop = client.request({ type: "stop_process", name: "p" });
    expect(link.sent.at(-1)).toMatchObject({ type: "stop_process" });
    const starts = Array.from({ length: 33 }, (_, n) => client.request(start(`p${n}`)));
    const others = [
      client.request({ type: "stop_group", name: "p32" }),
      client.request({ type: "stop_process", name: "p32/a" }),
      client.request({ type: "stop_process", name: "p1" }),
      client.request({ type: "restart_process", name: "p1" }),
    ];
    const sent = link.sent.length;
    expect(link.sent.at(-1)).toMatchObject({ type: "start_process", name: "p31" });
    for (let n = 0; n < link.sent.length; n++)
      link.say({ type: link.sent[n]?.type === "request_process_loads" ? "process_loads" : "ack", request_id: link.sent[n]?.request_id });
    await Promise.all([...slow, stop, ...starts, ...others]);
    const names = link.sent.slice(sent).flatMap((frame) => ("name" in frame ? [`${frame.type} ${frame.name}`] : []));
    expect(names).toEqual(["start_process p32", "stop_group p32", "stop_process p32/a", "stop_process p1", "restart_process p1"]);
    expect(link.sent).toHaveLength(78);
  });

  it("that time out make room for those behind them", async () => {
    vi.useFakeTimers();
    const { link, client } = rig();
    const late = Promise.allSettled(Array.from({ length: 32 }, () => client.request(start("a"), { timeout: 10 })));
    const next = client.request(start("b"));
    await vi.advanceTimersByTimeAsync(10);
    expect((await late).every((end) => end.status === "rejected")).toBe(true);
    expect(link.sent).toHaveLength(33);
    link.say({ type: "ack", request_id: link.sent[32]?.request_id });
    await next;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("to a link that is full are busy", async () => {
    const { link, client } = rig();
    Object.assign(link, { isFull: true, send: () => false });
    await expect(client.request(start("a"))).rejects.toMatchObject({ code: "busy" });
  });
});

it("a long text is typed in pieces that the protocol allows, and no character is cut", async () => {
  const { link, client } = rig();
  const typed: string[] = [];
  link.send = (frame) => {
    if (frame.type === "send_stdin") typed.push(frame.text);
    queueMicrotask(() => link.say({ type: "ack", request_id: frame.request_id }));
    return true;
  };
  const text = `${"€".repeat(16_383)}😀${"x".repeat(20_000)}`;
  await client.process("a").write(text);
  expect(typed.map(({ length }) => length)).toEqual([16_383, 16_384, 3_618]);
  expect(typed.join("")).toBe(text);
  for (const piece of typed) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(65_536);
});

describe("subscriptions that the program made by frames of its own", () => {
  it("are restored after a reconnect: patterns, the level of the log", async () => {
    const { link, client } = rig();
    client.send({ type: "subscribe_process_output", patterns: ["a*", "b"] });
    client.send({ type: "set_log_min_level", level: "debug" });
    const refused = client.request({ type: "subscribe_process_output", patterns: ["c"] });
    link.say({ type: "error", code: "not_found", message: "no", request_id: 1 });
    await expect(refused).rejects.toMatchObject({ code: "not_found" });
    client.send({ type: "unsubscribe_process_output", patterns: ["b"] });
    link.lose();
    link.sent.length = 0;
    link.state$.next({ kind: "open" });
    expect(link.sent).toEqual([
      { type: "subscribe_process_output", patterns: ["a*"] },
      { type: "set_log_min_level", level: "debug" },
    ]);
  });

  it("and listeners of the client do not end each other", () => {
    const { link, client } = rig();
    client.send({ type: "subscribe_process_output", patterns: ["a"] });
    const listening = client.output$("a").subscribe();
    client.send({ type: "unsubscribe_process_output", patterns: ["a", "b"] });
    expect(link.sent.at(-1)).toEqual({ type: "unsubscribe_process_output", patterns: ["b"] });
    client.send({ type: "subscribe_process_output", patterns: ["a"] });
    link.sent.length = 0;
    listening.unsubscribe();
    expect(link.sent).toEqual([]);
  });
});

describe("a wait over a lost connection", () => {
  const process = (state: string) => ({ name: "a", state, has_ready_state: true, requested_state: "start", exit: null });
  const snapshot = (state: string) => ({ type: "snapshot", processes: [process(state)], host_list: [], process_tree: [] });
  const answerAll = (link: FakeLink, state: string) => {
    const unanswered = link.sent.splice(0).filter((frame) => frame.type === "get_snapshot");
    for (const frame of unanswered) link.say({ ...snapshot(state), request_id: frame.request_id });
    return unanswered.length;
  };

  it("continues from the snapshot after it", async () => {
    const { link, client } = rig();
    const waiting = client.process("a").waitFor("ready");
    await vi.waitFor(() => expect(link.sent).toHaveLength(1), 60_000);
    link.lose();
    link.sent.length = 0;
    link.state$.next({ kind: "open" });
    await vi.waitFor(() => expect(answerAll(link, "started")).toBe(1), 60_000);
    link.lose();
    link.state$.next({ kind: "open" });
    await vi.waitFor(() => expect(answerAll(link, "ready")).toBe(1), 60_000);
    expect((await waiting).state).toBe("ready");
  });

  it("makes one request to the manager, however many waits there are", async () => {
    const { link, client } = rig();
    const waiting = Promise.all(Array.from({ length: 200 }, () => client.process("a").waitFor("ready")));
    await vi.waitFor(() => expect(link.sent).toHaveLength(1), 60_000);
    expect(answerAll(link, "ready")).toBe(1);
    await waiting;
  });
});

describe("live output", () => {
  it("is subscribed once for any number of listeners, and unsubscribed with the last", () => {
    const { link, client } = rig();
    const one = client.output$("a").subscribe();
    const two = client.output$("a").subscribe();
    one.unsubscribe();
    one.unsubscribe();
    expect(link.sent).toEqual([{ type: "subscribe_process_output", patterns: ["a"] }]);
    two.unsubscribe();
    expect(link.sent.at(-1)).toEqual({ type: "unsubscribe_process_output", patterns: ["a"] });
  });

  it("is only that of its process, and is requested again after a reconnect", () => {
    const { link, client } = rig();
    const seen: string[] = [];
    client.output$("a[b]").subscribe((frame) => seen.push(frame.output));
    client.output$("c").subscribe();
    link.say({ type: "process_output", name: "ab", output: "the pattern's" });
    link.say({ type: "process_output", name: "a[b]", output: "mine" });
    link.lose();
    link.sent.length = 0;
    link.state$.next({ kind: "open" });
    expect(link.sent).toEqual([{ type: "subscribe_process_output", patterns: ["a[b]", "c"] }]);
    expect(seen).toEqual(["mine"]);
  });

  it("ends with the connection", () => {
    const { client } = rig();
    let over = false;
    client.output$("a").subscribe({
      complete: () => {
        over = true;
      },
    });
    client.close();
    expect(over).toBe(true);
  });
});

describe("the log level", () => {
  const level = (level: "debug" | "error"): ClientFrame => ({ type: "set_log_min_level", level });

  it("that the manager accepted last is sent again after a reconnect, and no other", async () => {
    const { link, client } = rig();
    const accepted = client.request(level("debug"));
    const refused = expect(client.request(level("error"))).rejects.toMatchObject({ code: "out_of_scope" });
    link.say({ type: "ack", request_type: "set_log_min_level", request_id: 1 });
    link.say({ type: "error", code: "out_of_scope", message: "no", request_id: 2 });
    await Promise.all([accepted, refused]);
    link.lose();
    link.sent.length = 0;
    link.state$.next({ kind: "open" });
    expect(link.sent).toEqual([level("debug")]);
  });

  it("is the manager's own until a client asks for another", () => {
    const { link } = rig();
    link.lose();
    link.state$.next({ kind: "open" });
    expect(link.sent).toEqual([]);
  });
});
