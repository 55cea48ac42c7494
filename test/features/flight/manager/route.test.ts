import { afterAll, beforeAll, expect, it } from "vitest";
import { Rig } from "../../../http/rig.ts";
import { accessOf } from "../../../support/access.ts";
import { FakeFlight } from "../fake-flight.ts";

const USERS = {
  operator: "operator",
  viewer: "viewer",
  loader: [{ role: "viewer", may_download: true }],
  simloader: [{ role: "viewer", on: "sim/*", may_download: true }],
  simadmin: [{ role: "admin", on: "sim/*" }],
  none: [],
} as const;
const ALL = Object.keys(USERS) as (keyof typeof USERS)[];
const ID = "20260101-000000-vm-1";
const BYTES = Buffer.from(Array.from({ length: 300 }, (_, n) => n % 256));

const flight = new FakeFlight();
let rig: Rig;
beforeAll(async () => {
  flight.files.set(ID, BYTES);
  rig = await Rig.start({ access: accessOf({ users: USERS }), extensions: [flight.extension] });
  rig.writeAuth(ALL.map((user) => `${user} secret of ${user}\n`).join(""));
});
afterAll(() => rig?.[Symbol.asyncDispose]());

const get = (query: string, user: keyof typeof USERS = "operator", headers: Record<string, string> = {}) =>
  rig.get(`/mgr/incident${query}`, { authorization: `Basic ${Buffer.from(`${user}:secret of ${user}`).toString("base64")}`, ...headers });
const body = async (response: Response) => Buffer.from(await response.arrayBuffer());

it("the file needs the right to download, on everything", async () => {
  const allowed: string[] = [];
  for (const user of ALL) {
    const { status } = await get(`?id=${ID}`, user);
    expect([200, 403], user).toContain(status);
    if (status === 200) allowed.push(user);
  }
  expect(allowed).toEqual(["operator", "loader"]);
});

it("the file is sent whole, as an attachment with the id as its name", async () => {
  const response = await get(`?id=${ID}`);
  expect(response.headers.get("content-disposition")).toContain(`${ID}.mcap`);
  expect(await body(response)).toEqual(BYTES);
});

it("one range of bytes is sent, and one after the end is refused", async () => {
  const part = await get(`?id=${ID}`, "operator", { range: "bytes=100-199" });
  expect(part.status).toBe(206);
  expect(part.headers.get("content-range")).toBe("bytes 100-199/300");
  expect(await body(part)).toEqual(BYTES.subarray(100, 200));
  expect((await get(`?id=${ID}`, "operator", { range: "bytes=300-" })).status).toBe(416);
});

it("an id that no incident has is refused, also one that is a path", async () => {
  for (const id of ["20260101-000000-vm-2", "../../mgr", "..%2f..%2fmgr.yaml", "%1b[31m"]) {
    const response = await get(`?id=${id}`);
    const text = await response.text();
    expect([response.status, text], id).toEqual([404, expect.stringContaining("there is no incident")]);
    expect(text).not.toContain("\x1b");
  }
  expect((await get("")).status).toBe(400);
});
