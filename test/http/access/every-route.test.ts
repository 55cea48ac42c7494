import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { NO_OWNERS, permissionsOfUser } from "../../../src/app/bus/user-permissions.ts";
import { type Need, ROLES, type Role } from "../../../src/base/access/access.ts";
import type { BrokerStats } from "../../../src/bus/broker/broker.ts";
import { newCounters } from "../../../src/bus/broker/broker-counters.ts";
import { needsInGeneral, type RouteNeeds } from "../../../src/http/route.ts";
import type { BusUpgrade } from "../../../src/http/server/bus-upgrade.ts";
import { Followers } from "../../../src/http/server/open-connections.ts";
import { accessOf } from "../../support/access.ts";
import { Rig } from "../rig.ts";

// Each route and WebSocket of the core and of all features, requested by each kind of user with plausible queries, compared with the table.

interface Grant {
  readonly role: Role;
  readonly on?: string;
  readonly may_download?: boolean;
}

const USERS: Readonly<Record<string, readonly Grant[]>> = {
  admin: [{ role: "admin" }],
  operator: [{ role: "operator" }],
  viewer: [{ role: "viewer" }],
  loader: [{ role: "viewer", may_download: true }],
  simadmin: [{ role: "admin", on: "sim/*" }],
  simoperator: [{ role: "operator", on: "sim/*" }],
  simviewer: [{ role: "viewer", on: "sim/*" }],
  simloader: [{ role: "viewer", on: "sim/*", may_download: true }],
  mixed: [{ role: "viewer" }, { role: "operator", on: "sim/world" }],
  none: [],
};
const ALL = Object.keys(USERS);
const PROCESSES = ["sim/world", "sim/eyes", "lone"];

const NO_BUS: BrokerStats = { ...newCounters(), clients: [], links: [], subscriptions: 0 };
const bus: BusUpgrade = {
  otherAddress: null,
  permissionsOf: () => null,
  permissionsOfUser: (user, grants) => permissionsOfUser(user, grants, () => NO_OWNERS),
  accept: (stream) => stream.destroy(),
  stats: () => NO_BUS,
  report: async () => ({}),
};

/** What a request needs; null: a login. */
type Needed = RouteNeeds | null;
/** Any role at all. */
const ANY_ROLE: RouteNeeds = () => ({ need: "viewer", on: "*" });

const CORE_ROUTES: readonly (readonly [string, Needed])[] = [
  ["/", null],
  ["/mgr/schema", null],
  ["/mgr/health", null],
  ["/mgr/log", needsInGeneral("viewer")],
  ["/mgr/metrics", needsInGeneral("viewer")],
  ["/mgr/names", needsInGeneral("viewer")],
  ["/mgr/bus", needsInGeneral("viewer")],
  ["/save-all", needsInGeneral("admin")],
];
const CORE_SOCKETS: readonly (readonly [string, Needed])[] = [
  ["/ws", null],
  ["/mgr/bus", ANY_ROLE],
];

function fulfils({ role, may_download }: Grant, need: Need): boolean {
  if (need === "download") return may_download === true || role !== "viewer";
  if (need === "typing") return role === "admin";
  return ROLES.indexOf(role) >= ROLES.indexOf(need);
}

/** What docs/access.md says, written a second time. */
function isAllowed(user: string, needs: Needed, query: URLSearchParams): boolean {
  const grants = USERS[user] ?? [];
  if (needs === null) return true;
  const { need, on } = needs(query);
  if (on === "*") return grants.length > 0;
  const isOn = (grant: Grant, name: string | null) => grant.on === undefined || (name !== null && matches(grant.on, name));
  const may = (name: string | null) => grants.some((grant) => isOn(grant, name) && fulfils(grant, need));
  if (on === null || may(null)) return may(null);
  const members = PROCESSES.filter((name) => name.startsWith(`${on}/`));
  const isSeen = members.some((name) => grants.some((grant) => isOn(grant, name)));
  return isSeen ? members.every(may) : may(on);
}

const matches = (pattern: string, name: string): boolean => (pattern === "sim/*" ? name.startsWith("sim/") : pattern === name);

let rig: Rig;
beforeAll(async () => {
  const users = Object.fromEntries(ALL.map((user) => [user, [...(USERS[user] ?? [])]]));
  rig = await Rig.start({ access: accessOf({ users }), bus });
  rig.writeAuth(ALL.map((user) => `${user} secret of ${user}\n`).join(""));
});
afterAll(() => rig[Symbol.asyncDispose]());

const authorizationOf = (user: string) => `Basic ${Buffer.from(`${user}:secret of ${user}`).toString("base64")}`;
const name = fc.constantFrom("sim/world", "sim/eyes", "sim", "lone", "sim/nothing", "nothing", "");
const query = fc
  .record({ name, group: name, session: name, stop: fc.constantFrom("0", "1", "") }, { requiredKeys: [] })
  .map((values) => new URLSearchParams(values));

/** Routes and WebSockets of the core and of all features, each with what it needs. */
function everyPath() {
  const { control } = rig;
  const connect = () => rig.transport.connect();
  const services = { control, connect, followers: new Followers(), assetHash: "hash", log: () => {} };
  const parts = control.extensions.flatMap(({ http }) => http ?? []);
  const routes = parts.flatMap((part) => part.routes?.(services) ?? []).filter(({ isOpen, method }) => isOpen !== true && method === "GET");
  const sockets = parts.flatMap((part) => part.sockets ?? []);
  const entry = ({ path, needs }: { path: string; needs: Needed }) => [path, needs] as const;
  return { routes: [...CORE_ROUTES, ...routes.map(entry)], sockets: [...CORE_SOCKETS, ...sockets.map(entry)] };
}

test("each route is refused exactly if the table says so, whatever the query is", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...everyPath().routes),
      fc.constantFrom(...ALL),
      query,
      fc.constantFrom("GET", "HEAD"),
      async ([path, needs], user, asked, method) => {
        const response = await rig.get(`${path}?${asked}`, { authorization: authorizationOf(user) }, { method });
        await response.body?.cancel();
        expect([path, user, String(asked), response.status === 403]).toEqual([path, user, String(asked), !isAllowed(user, needs, asked)]);
      },
    ),
    { numRuns: 300 },
  );
});

test("each WebSocket is refused exactly if the table says so, whatever the query is", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...everyPath().sockets), fc.constantFrom(...ALL), query, async ([path, needs], user, asked) => {
      const ws = new WebSocket(`ws://${rig.host}${path}?${asked}`, { headers: { authorization: authorizationOf(user) } });
      const status = await new Promise<number>((resolve) => {
        ws.on("error", () => {});
        ws.once("open", () => resolve(101));
        ws.once("unexpected-response", (request, response) => {
          request.destroy();
          resolve(response.statusCode ?? 0);
        });
      });
      ws.terminate();
      expect([path, user, String(asked), status === 403]).toEqual([path, user, String(asked), !isAllowed(user, needs, asked)]);
    }),
    { numRuns: 150 },
  );
});
