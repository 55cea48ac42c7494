import { afterAll, beforeAll, expect, test } from "vitest";
import type { Route } from "../../../src/http/route.ts";
import { accessOf } from "../../support/access.ts";
import { Rig } from "../rig.ts";

// Each route, requested by each kind of user: refused with 403 and the missing role, or not.

const USERS = {
  admin: "admin",
  operator: "operator",
  viewer: "viewer",
  loader: [{ role: "viewer", may_download: true }],
  sim: [{ role: "viewer", on: "sim/*" }],
  simloader: [{ role: "viewer", on: "sim/*", may_download: true }],
  simadmin: [{ role: "admin", on: "sim/*" }],
  none: [],
} as const;
type User = keyof typeof USERS;
const ALL = Object.keys(USERS) as User[];

/** A download of a process, of a group, or of everything. */
const FILE: Route = {
  path: "/file",
  method: "GET",
  needs: (query) => ({ need: "download", on: query.get("name") }),
  handle: () => new Response("content"),
};

const ALLOWED: Readonly<Record<string, readonly User[]>> = {
  "/": ALL,
  "/mgr/schema": ALL,
  "/mgr/health": ALL,
  "/ws": ALL,
  "/mgr/log": ["admin", "operator", "viewer", "loader"],
  "/mgr/metrics": ["admin", "operator", "viewer", "loader"],
  "/mgr/names?kind=process": ["admin", "operator", "viewer", "loader"],
  "/save-all": ["admin"],
  "/file?name=sim/world": ["admin", "operator", "loader", "simloader", "simadmin"],
  "/file?name=sim": ["admin", "operator", "loader", "simloader", "simadmin"],
  "/file?name=lone": ["admin", "operator", "loader"],
  "/file": ["admin", "operator", "loader"],
};

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start({ access: accessOf({ users: USERS }), extensions: [{ http: { routes: () => [FILE] } }] });
  rig.writeAuth(ALL.map((user) => `${user} secret of ${user}\n`).join(""));
});
afterAll(() => rig[Symbol.asyncDispose]());

test.each(Object.entries(ALLOWED))("%s is refused for users without the role that it needs, and for no others", async (path, allowed) => {
  const refused: string[] = [];
  for (const user of ALL) {
    const authorization = `Basic ${Buffer.from(`${user}:secret of ${user}`).toString("base64")}`;
    const response = await rig.get(path, { authorization });
    const text = await response.text();
    if (response.status === 403) expect(text).toMatch(/ needs the role .* on (everything|'|all processes)/);
    if (response.status === 403) refused.push(user);
  }
  expect(ALL.filter((user) => !refused.includes(user))).toEqual(allowed);
});
