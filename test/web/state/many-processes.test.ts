// The page's state with 10,000 processes of a snapshot: the same answers as with few, and one changed process repaints only what shows it.
import { effect } from "@preact/signals";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { dependentsAmong, stoppedAlong } from "../../../src/client/shown/along.ts";
import type { Process, ProcessTreeNode } from "../../../src/protocol/resources/resources.ts";

const COUNT = 10_000;
const GROUPS = 10;
const HOSTS = 100;
const nameOf = (index: number) => `group ${index % GROUPS}/process ${String(index).padStart(5, "0")}`;

const processOf = (index: number, change: Partial<Process> = {}) => ({
  name: nameOf(index),
  display_name: `process ${index}`,
  host: `h${index % HOSTS}`,
  host_ready: true,
  state: index % 1_000 === 7 ? "error" : "started",
  requested_state: "start",
  restarting: false,
  restarts: 0,
  exit: null,
  // The last process depends on the first one, the one before it on the last.
  stops_with: index === COUNT - 1 ? [nameOf(0)] : index === COUNT - 2 ? [nameOf(COUNT - 1)] : [],
  stopped_with: null,
  confirm: false,
  ...change,
});

const tree: ProcessTreeNode[] = Array.from({ length: GROUPS }, (_, group) => ({
  type: "group",
  name: `group ${group}`,
  display_name: `group ${group}`,
  opened: group === 0,
  state: "started",
  children: Array.from({ length: COUNT / GROUPS }, (_, index) => ({ type: "process", name: nameOf(index * GROUPS + group) })),
}));

const snapshot = {
  type: "snapshot",
  ok: true,
  processes: Array.from({ length: COUNT }, (_, index) => processOf(index)),
  process_tree: tree,
  host_list: Array.from({ length: HOSTS }, (_, index) => ({ name: `h${index}`, all_names: [`h${index}`], daemon_ready: true })),
  manager: { name: "large", host: "h0", save_problem: null },
  start_tools: [],
  vnc_sessions: [],
  webui_asset_hash: "",
  access: null,
  tags: [],
};

/** A manager that answers each request for a snapshot. */
class Socket {
  static newest: Socket | null = null;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  readonly readyState = 1;
  readonly bufferedAmount = 0;
  constructor() {
    Socket.newest = this;
    queueMicrotask(() => this.onopen?.());
  }
  send(text: string) {
    const { type, request_id } = JSON.parse(text) as { type: string; request_id: unknown };
    if (type === "get_snapshot") queueMicrotask(() => this.say({ ...snapshot, request_id }));
  }
  say(frame: object) {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
  close(code = 1_000, reason = "") {
    queueMicrotask(() => this.onclose?.({ code, reason }));
  }
}

async function loadPage() {
  vi.resetModules();
  const events = new EventTarget();
  const root = { dataset: {} };
  for (const [name, value] of Object.entries({
    location: new URL("http://bench/"),
    addEventListener: events.addEventListener.bind(events),
    matchMedia: () => ({ matches: false, addEventListener: () => {} }),
    localStorage: { getItem: () => null, setItem: () => {} },
    document: { documentElement: root, querySelector: () => null, addEventListener: events.addEventListener.bind(events) },
    WebSocket: Socket,
  }))
    vi.stubGlobal(name, value);
  const [store, filter, rows, facts, arrangement] = await Promise.all([
    import("../../../web/src/state/store.ts"),
    import("../../../web/src/tree/tree-filter.ts"),
    import("../../../web/src/tree/tree-rows.ts"),
    import("../../../web/src/tree/group-facts.ts"),
    import("../../../web/src/tree/arrangement.ts"),
  ]);
  await vi.waitFor(() => expect(store.isLoaded.value).toBe(true), 60_000);
  return { ...store, ...filter, ...rows, ...facts, ...arrangement };
}

describe("a page of 10,000 processes", () => {
  let page: Awaited<ReturnType<typeof loadPage>>;
  beforeAll(async () => {
    page = await loadPage();
  });
  afterAll(() => {
    page.client.close();
    vi.unstubAllGlobals();
    vi.resetModules();
  });
  const groupNamed = (name: string) => {
    const node = page.tree.value.find((each) => each.name === name);
    if (node?.type !== "group") throw new Error(`no group ${name}`);
    return node;
  };

  const rowsOf = (names: ReadonlySet<string> | null) =>
    page.treeRows(page.arrangedTree.value, { folds: {}, isArranged: false, isIncluded: names && ((name) => names.has(name)) });

  test("counts all, and draws the rows of open groups", () => {
    expect(page.allProcesses()).toHaveLength(COUNT);
    expect([...page.counts.value]).toEqual(
      expect.arrayContaining([
        ["started", 9_990],
        ["error", 10],
      ]),
    );
    expect(rowsOf(null)).toHaveLength(GROUPS + COUNT / GROUPS);
    expect(page.offered.value.map(({ prefix }) => prefix)).toEqual(["host:"]);
  });

  test("filters by names, abbreviations, states and hosts, each word for itself", () => {
    const found = (text: string) => {
      page.filterTree(text);
      const names = page.filtered.value ?? [];
      const shown = rowsOf(new Set(names)).flatMap(({ node }) => (node.type === "process" ? [node.name] : []));
      expect(new Set(shown)).toEqual(new Set(names));
      page.filterTree("");
      return names;
    };
    expect(found("process 04321")).toEqual([nameOf(4_321)]);
    expect(found("04321 prc")).toEqual([nameOf(4_321)]);
    expect(found("host:h99")).toHaveLength(COUNT / HOSTS);
    expect(found("is:error")).toHaveLength(10);
    expect(found("is:error 0100")).toEqual([nameOf(1_007)]);
    expect(found("nothing has this")).toEqual([]);
    expect(page.filtered.value).toBeNull();
  });

  test("finds the processes that a stop of another one ends among the few that depend on any", () => {
    const all = page.allProcesses();
    const few = dependentsAmong(all);
    expect(few.map(({ name }) => name)).toEqual([nameOf(COUNT - 2), nameOf(COUNT - 1)]);
    for (const index of [0, 1, COUNT - 1, COUNT - 2])
      expect(stoppedAlong([nameOf(index)], few)).toEqual(stoppedAlong([nameOf(index)], all));
    expect(stoppedAlong([nameOf(0)], few)).toEqual(few);
  });

  test("a changed process changes the facts of its group only, and arranges nothing again", () => {
    const runs = { changed: 0, other: 0, headings: 0 };
    const ends = [
      effect(() => {
        page.groupFacts(groupNamed("group 5"));
        runs.changed++;
      }),
      effect(() => {
        page.groupFacts(groupNamed("group 6"));
        runs.other++;
      }),
      effect(() => {
        void page.offered.value;
        runs.headings++;
      }),
    ];
    expect(page.groupFacts(groupNamed("group 5"))).toMatchObject({ count: 1_000, fine: 1_000, state: "started", notice: null });
    Socket.newest?.say({ type: "process_upsert", process: processOf(5, { state: "error" }) });
    expect(page.groupFacts(groupNamed("group 5"))).toMatchObject({ count: 1_000, fine: 999, state: "error" });
    expect(page.counts.value.get("error")).toBe(11);
    expect(page.allProcesses()[5]?.state).toBe("error");
    expect(runs).toEqual({ changed: 2, other: 1, headings: 1 });
    for (const end of ends) end();
  });

  test("a removed process is gone everywhere", () => {
    Socket.newest?.say({ type: "process_remove", name: nameOf(6) });
    expect(page.allProcesses()).toHaveLength(COUNT - 1);
    expect(page.processOf(nameOf(6))).toBeUndefined();
    expect(page.groupFacts(groupNamed("group 6")).count).toBe(999);
    page.filterTree("process 00006");
    expect(page.filtered.value).not.toContain(nameOf(6));
    page.filterTree("");
  });
});
