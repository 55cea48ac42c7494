import fc from "fast-check";
import { describe, expect, it, test, vi } from "vitest";
import { ADMIN_GRANTS, type Grant, ROLES, type Role } from "../../src/base/access/access.ts";
import type { ClientFrameSpec } from "../../src/protocol/frames/frame-table.ts";
import { CLIENT_FRAMES, type ClientFrameType } from "../../src/protocol/frames/frames.ts";
import { Connection } from "../../src/transport/connection.ts";
import { connectionServices } from "../support/fakes/connection-services.ts";
import { FakeControl } from "../support/fakes/fake-control.ts";

const SEEN = ["sim/world", "sim/arm", "shared/seen"];
const HIDDEN = ["vault/keyring", "vault/deep/ledger", "shared/unseen"];
/** Everything that must not be in any byte that a user of `sim/*` receives. */
const SECRET = /vault|keyring|ledger|unseen/;
const PATTERNS = ["sim/*", "shared/seen"];

const GENERAL: readonly (readonly Grant[])[] = [ADMIN_GRANTS, [{ role: "operator", on: null }], [{ role: "viewer", on: null }]];
const PARTIAL: readonly (readonly Grant[])[] = [
  [{ role: "admin", on: PATTERNS }],
  [{ role: "operator", on: PATTERNS }],
  [{ role: "viewer", on: PATTERNS }],
  [],
];
const MIXED: readonly Grant[] = [
  { role: "viewer", on: null },
  { role: "operator", on: PATTERNS },
];
const TYPIST: readonly Grant[] = [{ role: "operator", on: PATTERNS, mayType: true }];
const USERS = [...GENERAL, ...PARTIAL, MIXED, TYPIST];

/** A connection of a user with these grants, to a manager without machines. */
function open(grants: readonly Grant[]) {
  const control = new FakeControl([...SEEN, ...HIDDEN]);
  // Objects of features that belong to processes: as if each process had one of its own name.
  for (const feature of Object.values(control.features))
    if ("owners" in feature && feature.owners instanceof Map) for (const name of [...SEEN, ...HIDDEN]) feature.owners.set(name, [name]);
  const services = connectionServices(control);
  const texts: string[] = [];
  const socket = {
    send(data: Buffer, _options: unknown, done: () => void) {
      texts.push(String(data));
      setImmediate(done);
    },
    bufferedAmount: 0,
    cork() {},
    uncork() {},
  };
  const observer = { congested() {}, progress() {}, drained() {}, overflow() {} };
  const principal = { user: "ada", via: "basic", address: "127.0.0.1:1", grants } as const;
  const connection = new Connection(services, { socket, observer, principal, client: null, view: { kind: "full" } });
  const settled = async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    control,
    texts,
    settled,
    async ask(frame: object): Promise<{ code?: string; message?: string; type: string }[]> {
      const before = texts.length;
      connection.receive(JSON.stringify({ ...frame, request_id: 7 }));
      await settled();
      const sent = texts.slice(before).map((text) => JSON.parse(text));
      return sent.filter((each) => each.request_id === 7);
    },
    close() {
      connection.close();
      services.hub.close();
    },
  };
}

const rank = (role: Role | null): number => (role === null ? -1 : ROLES.indexOf(role));

/** The rules of docs/access.md, written a second time: the rank that a user has on a name, or on everything. */
function rankOf(grants: readonly Grant[], name: string | null): number {
  const isOn = ({ on }: Grant) => on === null || (name !== null && (name.startsWith("sim/") || name === "shared/seen"));
  return Math.max(-1, ...grants.filter(isOn).map(({ role }) => rank(role)));
}

function rankNeeded(spec: ClientFrameSpec, frame: Readonly<Record<string, unknown>>, grants: readonly Grant[]): number {
  const needs = [spec.role, ...Object.entries(spec.fieldRoles ?? {}).flatMap(([field, role]) => (frame[field] === true ? role : []))];
  const mayType = grants.some((grant) => grant.mayType);
  return Math.max(
    ...needs.map((need) => rank(need === "typing" ? (mayType ? "operator" : "admin") : need === "download" ? "operator" : need)),
  );
}

function isAllowed(spec: ClientFrameSpec, frame: Readonly<Record<string, unknown>>, grants: readonly Grant[]): boolean {
  const needed = rankNeeded(spec, frame, grants);
  const { name } = frame;
  if (spec.scope === "own") return true;
  if (spec.scope === "global") return rankOf(grants, null) >= needed;
  if (spec.scope === "seen") return grants.length > 0;
  if (spec.scope === "owned") {
    const subjects = Array.isArray(frame.names)
      ? frame.names
      : [typeof name === "string" && [...SEEN, ...HIDDEN].includes(name) ? name : null];
    return subjects.every((subject) => rankOf(grants, subject) >= needed);
  }
  if (spec.scope === "output" || spec.scope === "log" || typeof name !== "string") return grants.length > 0;
  const members = [...SEEN, ...HIDDEN].filter((each) => each.startsWith(`${name}/`));
  const seen = members.filter((each) => rankOf(grants, each) >= 0);
  if (seen.length === 0) return rankOf(grants, name) >= needed;
  return needed === 0 || members.every((each) => rankOf(grants, each) >= needed);
}

/** An answer without what the frame said itself: refusals repeat that. */
function withoutValues(text: string, frame: Readonly<Record<string, unknown>>): string {
  const said = Object.values(frame).flatMap((value) => (typeof value === "string" ? value : []));
  return said.sort((a, b) => b.length - a.length).reduce((rest, value) => rest.replaceAll(value, ""), text);
}

const NAMES = [...SEEN, ...HIDDEN, "sim", "vault", "shared", "vault/deep", "sim/nothing", "nothing"];
const plausible = fc.constantFrom<unknown>("SIGHUP", "info", "default", "svc_debug", "x", 24, 1, true, false, ["*"], ["sim/world"], {});
const named = fc.constantFrom<unknown>(...NAMES);

describe("each frame, asked by each kind of user", () => {
  it.each(Object.keys(CLIENT_FRAMES) as ClientFrameType[])("%s is refused exactly if its entry says so", async (type) => {
    const spec: ClientFrameSpec = CLIENT_FRAMES[type];
    const connections = USERS.map((grants) => ({ grants, ...open(grants) }));
    const fields = Object.fromEntries(Object.keys(spec.fields).map((key) => [key, key === "name" ? named : fc.oneof(plausible, named)]));
    const required = "name" in spec.fields && spec.fields.name?.safeParse(undefined).success === false ? (["name"] as const) : [];
    await fc.assert(
      fc.asyncProperty(fc.nat(USERS.length - 1), fc.record(fields, { requiredKeys: [...required] }), async (index, given) => {
        const connection = connections[index];
        if (connection === undefined) return;
        const { grants, control, texts } = connection;
        control.calls.length = 0;
        texts.length = 0;
        const frame = { ...given, type };
        const [answer] = await connection.ask(frame);
        if (rankOf(grants, null) < 0) for (const text of texts) expect(withoutValues(text, given)).not.toMatch(SECRET);
        // A frame that cannot be read is refused before its permission is examined.
        if (answer?.code === "bad_field" && /field|must be|missing/.test(answer.message ?? "")) return;
        expect(answer?.code === "forbidden" && / needs the role /.test(answer.message ?? "")).toBe(!isAllowed(spec, frame, grants));
        if (answer?.code === "forbidden") expect(control.calls).toEqual([]);
      }),
      { numRuns: 60 },
    );
    for (const connection of connections) connection.close();
  });
});

describe("a viewer of some processes", () => {
  const viewer: readonly Grant[] = [{ role: "viewer", on: PATTERNS }];

  test("gets a snapshot, a tree and events with these processes only", async () => {
    const connection = open(viewer);
    const [snapshot] = await connection.ask({ type: "get_snapshot" });
    expect(snapshot).toMatchObject({
      access: { user: "ada", grants: [{ role: "viewer", on: PATTERNS, may_download: false, may_type: false }] },
      hosts: [],
      processes: SEEN.map((name) => ({ name })),
    });
    const { control } = connection;
    for (const name of [...SEEN, ...HIDDEN]) control.update(name, { state: "ready" });
    control.add("vault/new");
    control.add("sim/new");
    await connection.settled();
    expect(connection.texts.filter((text) => text.includes('"process_upsert"')).length).toBe(SEEN.length + 1);
    expect(connection.texts.some((text) => text.includes('"process_tree"') && text.includes("sim/new"))).toBe(true);
    expect(connection.texts.filter((text) => SECRET.test(text))).toEqual([]);
    connection.close();
  });

  test("sees the state of a group by its members in view, also while one of them restarts", async () => {
    const connection = open(viewer);
    connection.control.update("sim/arm", { state: "ready" });
    connection.control.update("sim/world", { state: "waiting", restarting: true });
    connection.control.update("shared/unseen", { state: "error" });
    const [snapshot] = await connection.ask({ type: "get_snapshot" });
    expect(snapshot).toMatchObject({
      process_tree: [
        { name: "sim", state: "backoff" },
        { name: "shared", state: "stopped" },
      ],
    });
    connection.close();
  });

  test("does not read the names of others in what a process says about them", async () => {
    const connection = open(viewer);
    connection.control.update("sim/world", {
      depends_on: ["vault/keyring", "sim/arm"],
      waiting_for: ["vault/keyring"],
      stops_with: ["vault/keyring"],
      stopped_with: "vault/keyring",
      exit: { code: null, signal: null, reason: "'vault/keyring' failed, which 'sim/arm' needs, too", time: "2026-01-01T00:00:00.000Z" },
    });
    await connection.settled();
    const [text = ""] = connection.texts.filter((each) => each.includes("process_upsert"));
    expect(JSON.parse(text).process).toMatchObject({
      depends_on: ["sim/arm"],
      waiting_for: [],
      stops_with: [],
      stopped_with: null,
      exit: { reason: "'(hidden)' failed, which 'sim/arm' needs, too" },
    });
    connection.close();
  });

  test("does not read the names of others in the steps of a rolling restart", async () => {
    const connection = open(viewer);
    const { control } = connection;
    const facts = { id: "rolling-1", by: "bob", total: 2 };
    const step = { ...facts, name: "sim/world", position: 2, state: "left_out", reason: "'vault/keyring' failed" } as const;
    control.features.rollingRestarts.steps = [step];
    control.events.publish({ type: "restart_step_upsert", step });
    await connection.settled();
    const [text = ""] = connection.texts.filter((each) => each.includes("restart_step_upsert"));
    expect(JSON.parse(text)).toMatchObject({ step: { name: "sim/world", reason: "'(hidden)' failed" } });
    const [snapshot] = await connection.ask({ type: "get_snapshot" });
    expect(snapshot).toMatchObject({ restart_steps: [{ name: "sim/world", reason: "'(hidden)' failed" }] });
    connection.close();
  });

  test("does not read the name of a process that was added or removed after an earlier text, either", async () => {
    const connection = open(viewer);
    const { control } = connection;
    const failedWith = (name: string) => ({
      exit: { code: null, signal: null, reason: `'${name}' failed`, time: "2026-01-01T00:00:00.000Z" },
    });
    control.update("sim/world", failedWith("vault/keyring"));
    control.add("vault/late");
    control.update("sim/world", failedWith("vault/late"));
    control.remove("vault/late");
    control.update("sim/arm", failedWith("vault/late"));
    await connection.settled();
    const reasons = connection.texts.flatMap((text) => /"reason":"[^"]*failed"/.exec(text) ?? []);
    expect(reasons).toEqual(Array.from({ length: 3 }, () => `"reason":"'(hidden)' failed"`));
    connection.close();
  });

  test("costs no search for hidden names with each event", async () => {
    const connection = open(viewer);
    const { control } = connection;
    const processes = vi.spyOn(control, "processes");
    const exit = { code: null, signal: null, reason: "'vault/keyring' failed", time: "2026-01-01T00:00:00.000Z" };
    for (let restarts = 0; restarts < 20; restarts++) control.update("sim/world", { exit, restarts });
    await connection.settled();
    expect(connection.texts.filter((text) => text.includes("'(hidden)' failed")).length).toBe(20);
    // They were read when the connection was opened.
    expect(processes).not.toHaveBeenCalled();
    connection.close();
  });

  test("reads the entries of the log whose processes are all in view, without the names of others", async () => {
    const connection = open(viewer);
    const { log } = connection.control;
    const change = { from: "ready", to: "stopped", by: null, reason: "'vault/keyring' stopped" } as const;
    log.append({
      level: "info",
      source: "sim/world",
      msg: "sim/world: stopped with vault/keyring",
      change: { process: "sim/world", ...change },
    });
    log.append({ level: "info", source: "vault/keyring", msg: "stopped", change: { process: "vault/keyring", ...change } });
    log.append({ level: "info", source: "manager", msg: "'sim/world' is mentioned here" });
    log.append({ level: "info", source: "user", msg: "stopped all", action: { kind: "command", by: "bob", name: "vault" } });
    log.warn("'vault/keyring' is silent", ["vault/keyring"]);
    log.warn("'sim/arm' and 'vault/keyring' are silent", ["sim/arm", "vault/keyring"]);
    log.info("group 'shared' is up", ["shared"]);
    log.info("group 'nothing' is up", ["nothing"]);
    log.warn("the alerts of nothing", []);
    log.warn("'sim/arm' is silent, as vault/keyring is", ["sim/arm"]);
    log.info("group 'sim' is up", ["sim"]);
    await connection.settled();
    const [asked] = await connection.ask({ type: "request_logs" });
    expect(asked).toMatchObject({
      entries: [
        { msg: "sim/world: stopped with (hidden)", change: { reason: "'(hidden)' stopped" } },
        { msg: "'sim/arm' is silent, as (hidden) is" },
        { msg: "group 'sim' is up" },
      ],
    });
    const live = connection.texts.filter((text) => text.includes("log_batch") && !text.includes("history"));
    expect(live.map((text) => JSON.parse(text).entries.length)).toEqual([3]);
    expect(connection.texts.filter((text) => SECRET.test(text))).toEqual([]);
    connection.close();
  });
});
