import { beforeEach, describe, expect, it } from "vitest";
import type { GroupNode, ProcessNode, ProcessTreeNode } from "../../src/protocol/resources/resources.ts";
import type { EncodedFrame } from "../../src/transport/event-batch.ts";
import { EventStreams } from "../../src/transport/event-streams.ts";
import { LogStreams } from "../../src/transport/log-streams.ts";
import type { ViewMode } from "../../src/transport/view.ts";
import { FakeControl } from "../support/fakes/fake-control.ts";

let control: FakeControl;
let streams: EventStreams;
let flushed: string[];

beforeEach(() => {
  control = new FakeControl(["sim/world", "sim/arm/left", "db"]);
  flushed = [];
  streams = new EventStreams(control, (name) => flushed.push(name));
});

function follow(view: ViewMode) {
  const encoded: EncodedFrame[] = [];
  const subscription = streams.of(view).subscribe((frame) => encoded.push(frame));
  const frames = () => encoded.map((frame) => JSON.parse(String(frame.bytes)));
  const received = () => frames().map((frame) => `${frame.type} ${frame.process?.name ?? frame.name ?? ""}`.trim());
  return { encoded, frames, received, subscription };
}

describe("events", () => {
  it("reach the views that contain them and no other", () => {
    const full = follow({ kind: "full" });
    const process = follow({ kind: "single_process", name: "sim/world" });
    const group = follow({ kind: "single_group", name: "sim" });
    const log = follow({ kind: "log_only" });
    control.update("sim/world", { state: "started" });
    control.update("db", { state: "started" });
    control.update("sim/arm/left", { state: "started" });
    expect(full.received()).toEqual(["process_upsert sim/world", "process_upsert db", "process_upsert sim/arm/left"]);
    expect(process.received()).toEqual(["process_upsert sim/world"]);
    expect(group.received()).toEqual(["process_upsert sim/world", "process_upsert sim/arm/left"]);
    expect(log.received()).toEqual([]);
  });

  it("are encoded once for all connections of all views", () => {
    const views: ViewMode[] = [
      { kind: "full" },
      { kind: "full" },
      { kind: "single_group", name: "sim" },
      { kind: "single_process", name: "sim/world" },
    ];
    const followers = views.map(follow);
    control.update("sim/world", { state: "ready" });
    expect(new Set(followers.map(({ encoded }) => encoded[0]?.bytes)).size).toBe(1);
  });

  it("wait for the output that the process wrote before them", async () => {
    const order: string[] = [];
    streams = new EventStreams(control, (name) => order.push(`output of ${name}`));
    streams.of({ kind: "full" }).subscribe((frame) => order.push(JSON.parse(String(frame.bytes)).type));
    control.update("db", { state: "stopped" });
    control.remove("db");
    await Promise.resolve();
    expect(order).toEqual(["output of db", "process_upsert", "output of db", "process_remove", "process_tree"]);
  });

  it("end with their last subscriber and begin again with the next", () => {
    const first = follow({ kind: "single_process", name: "db" });
    first.subscription.unsubscribe();
    control.update("db", { state: "started" });
    const second = follow({ kind: "single_process", name: "db" });
    control.update("db", { state: "ready" });
    expect(first.received()).toEqual([]);
    expect(second.received()).toEqual(["process_upsert db"]);
  });
});

describe("process_tree", () => {
  it("is sent when the shape of the view's part changed, not when states did", async () => {
    const full = follow({ kind: "full" });
    const group = follow({ kind: "single_group", name: "sim" });
    control.events.publish({ type: "tree_changed" });
    await Promise.resolve();
    expect(full.received()).toEqual([]);
    control.add("other/new");
    await Promise.resolve();
    expect(full.received()).toEqual(["process_upsert other/new", "process_tree"]);
    expect(group.received()).toEqual([]);
    control.add("sim/new");
    await Promise.resolve();
    expect(group.received()).toEqual(["process_upsert sim/new", "process_tree"]);
    expect(group.frames()[1].process_tree).toMatchObject([{ type: "group", name: "sim" }]);
  });

  it.each<[string, (group: GroupNode) => ProcessTreeNode[]]>([
    ["a group is shown unfolded", (group) => [{ ...group, opened: true }]],
    ["a group has another title", (group) => [{ ...group, display_name: "Other" }]],
    ["two members change places", (group) => [{ ...group, children: group.children.toReversed() }]],
    ["a process takes the place of a group", (group) => [{ type: "process", name: group.name }]],
    ["a group is gone", () => []],
  ])("is sent when %s", async (_change, changed) => {
    const group: GroupNode = {
      type: "group",
      name: "all",
      display_name: "all",
      opened: false,
      state: "stopped",
      children: ["all/a", "all/b"].map((name) => ({ type: "process", name })),
    };
    let tree: ProcessTreeNode[] = [group];
    control.processTree = () => tree;
    const full = follow({ kind: "full" });
    const show = async (next: ProcessTreeNode[]) => {
      tree = next;
      control.events.publish({ type: "tree_changed" });
      await Promise.resolve();
    };
    await show([{ ...group, state: "ready", children: [...group.children] }]);
    expect(full.received()).toEqual([]);
    await show(changed(group));
    expect(full.frames()).toEqual([{ type: "process_tree", process_tree: tree }]);
  });

  it("costs nothing when a view opens, however many processes it has", () => {
    let isRead = false;
    const node: ProcessNode = {
      type: "process",
      get name() {
        isRead = true;
        return "all";
      },
    };
    control.processTree = () => [node];
    follow({ kind: "full" });
    expect(isRead).toBe(false);
  });

  it("is sent once for all changes of a turn, or at once on request", async () => {
    const full = follow({ kind: "full" });
    for (let index = 0; index < 100; index++) control.add(`many/p${index}`);
    expect(full.received()).not.toContain("process_tree");
    streams.flush();
    expect(full.received().at(-1)).toBe("process_tree");
    await Promise.resolve();
    expect(full.received().filter((frame) => frame === "process_tree")).toHaveLength(1);
  });

  it("a view whose object vanishes gets process_remove and an empty tree, and stays open", async () => {
    const view = follow({ kind: "single_process", name: "db" });
    control.remove("db");
    await Promise.resolve();
    expect(view.frames()).toEqual([
      { type: "process_remove", name: "db" },
      { type: "process_tree", process_tree: [] },
    ]);
    control.add("db");
    await Promise.resolve();
    expect(view.received().slice(2)).toEqual(["process_upsert db", "process_tree"]);
  });
});

describe("log_batch", () => {
  it("joins the entries of one turn for each level", async () => {
    const logs = new LogStreams(control.log);
    const heard: Record<string, string[][]> = { debug: [], warning: [] };
    for (const level of ["debug", "warning"] as const) {
      logs
        .from(level)
        .subscribe((frame) => heard[level]?.push(JSON.parse(String(frame.bytes)).entries.map((entry: { msg: string }) => entry.msg)));
    }
    for (const level of ["debug", "info", "warning", "error"] as const) control.log.append({ level, source: "manager", msg: level });
    await Promise.resolve();
    expect(heard).toEqual({ debug: [["debug", "info", "warning", "error"]], warning: [["warning", "error"]] });
  });

  it("a subscriber gets nothing that was logged before it came", async () => {
    const logs = new LogStreams(control.log);
    logs.from("info").subscribe();
    control.log.append({ level: "info", source: "manager", msg: "before" });
    const heard: string[] = [];
    logs.from("info").subscribe((frame) => heard.push(String(frame.bytes)));
    control.log.append({ level: "info", source: "manager", msg: "after" });
    await Promise.resolve();
    expect(heard).toHaveLength(1);
    expect(heard[0]).toContain("after");
  });
});
