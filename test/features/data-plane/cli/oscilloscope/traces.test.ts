import { describe, expect, test } from "vitest";
import { candidatesOf } from "../../../../../src/features/data-plane/cli/oscilloscope/trace-name.ts";
import { MAX_TRACES, type Subscribe, Traces } from "../../../../../src/features/data-plane/cli/oscilloscope/traces.ts";

describe("the name of a trace", () => {
  test.each([
    ["arm/state.position[0]", ["arm/state position,0", "arm/state.position[0] *"]],
    ["arm/state", ["arm/state *"]],
    ["gain.output", ["gain output", "gain.output *"]],
    ["loop.p.output", ["loop p,output", "loop.p output", "loop.p.output *"]],
    ["a.b/state.x", ["a.b/state x", "a.b/state.x *"]],
    ["", []],
    ["/x", []],
  ])("'%s'", (trace, expected) => {
    expect(candidatesOf(trace).map(({ topic, path }) => `${topic} ${path?.join(",") ?? "*"}`)).toEqual(expected);
  });
});

/** Topics that are subscribed to, and a way to publish. */
function rig() {
  const topics = new Map<
    string,
    {
      onMessage: Parameters<Subscribe>[1];
      counters: { received: number; bytes: number; missed: number; dropped: number; undecoded: number };
    }
  >();
  let now = 0;
  const traces = new Traces(
    (topic, onMessage) => {
      const counters = { received: 0, bytes: 0, missed: 0, dropped: 0, undecoded: 0, late: 0 };
      topics.set(topic, { onMessage, counters });
      return { counters, close: () => topics.delete(topic) };
    },
    () => now,
  );
  const publish = (topic: string, value: unknown) => {
    now += 1;
    topics.get(topic)?.onMessage({ value });
  };
  return { traces, topics, publish, values: () => traces.all.map(({ name, buffer }) => [name, buffer.last]) };
}

describe("traces", () => {
  test("share the subscription of their topic, which ends with the last of them", () => {
    const { traces, topics, publish, values } = rig();
    traces.open("arm/state.position[0]");
    traces.open("arm/state.position[1]");
    publish("arm/state", { position: new Float64Array([1, 2]) });
    expect(values()).toEqual([
      ["arm/state.position[0]", 1],
      ["arm/state.position[1]", 2],
    ]);
    expect([...topics.keys()]).toEqual(["arm/state"]);
    traces.remove("arm/state.position[0]");
    expect([...topics.keys()]).toEqual(["arm/state"]);
    traces.remove("arm/state.position[1]");
    expect([...topics.keys()]).toEqual([]);
  });

  test("determine by messages what a name with several dots means", () => {
    const { traces, topics, publish, values } = rig();
    traces.open("loop.p.output");
    expect([...topics.keys()]).toEqual(["loop", "loop.p", "loop.p.output"]);
    publish("loop", { q: 1 });
    expect(traces.all[0]?.status).toBe("no numeric field p.output in loop");
    publish("loop.p", { input: 1, output: 2.5 });
    expect(values()).toEqual([["loop.p.output", 2.5]]);
    expect([...topics.keys()]).toEqual(["loop.p"]);
  });

  test("of a topic alone are all its numeric fields", () => {
    const { traces, publish, values } = rig();
    traces.open("arm/state");
    publish("arm/state", { name: "arm", position: [1, 2], ok: true, stamp: { sec: 7n } });
    expect(values()).toEqual([
      ["arm/state.position[0]", 1],
      ["arm/state.position[1]", 2],
      ["arm/state.ok", 1],
      ["arm/state.stamp.sec", 7],
    ]);
    publish("arm/state", { position: [3, 4], ok: false });
    expect(
      values()
        .slice(0, 3)
        .map(([, value]) => value),
    ).toEqual([3, 4, 0]);
  });

  test("of a plain number, and of JSON from a client without a definition", () => {
    const { traces, publish, values } = rig();
    traces.open("level");
    publish("level", Buffer.from("2.5"));
    expect(values()).toEqual([["level", 2.5]]);
    publish("level", Buffer.from("3"));
    expect(values()).toEqual([["level", 3]]);
  });

  test("are bounded and opened once; wrong names are refused", () => {
    const { traces } = rig();
    for (let index = 0; index < MAX_TRACES; index++) traces.open(`t${index}.x`);
    traces.open("t0.x");
    expect(traces.all).toHaveLength(MAX_TRACES);
    expect(() => traces.open("more.x")).toThrow(/24 traces already/);
    expect(() => traces.open("a//b")).toThrow(/not a trace/);
    expect(new Set(traces.all.map(({ colour }) => colour)).size).toBe(MAX_TRACES);
  });
});
