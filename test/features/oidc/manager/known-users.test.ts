import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tryLockFile } from "../../../../src/app/serve-http.ts";
import { type KnownUser, KnownUsers, MAX_USERS } from "../../../../src/features/oidc/manager/known-users.ts";

let folder: string;
let now: number;
const logged: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-oidc-"));
  now = 1_000;
  logged.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

const manager = (authFile: string | null = join(folder, "keys")) =>
  new KnownUsers({ authFile, lock: tryLockFile, log: (level, msg) => void logged.push(`${level}: ${msg}`) }, () => now);
const user = (name: string, more: Partial<KnownUser> = {}): KnownUser => ({
  name,
  issuer: "https://login.lab",
  subject: `subject of ${name}`,
  groups: ["pilots"],
  until: 2_000,
  ...more,
});

test("users are known until their login ends, also to another manager with the auth file", async () => {
  const [first, second] = [manager(), manager()];
  await first.remember(user("ann"));
  await second.remember(user("bob", { until: 3_000 }));
  expect(first.find("ann", "https://login.lab")).toEqual(user("ann"));
  expect(first.all().map(({ name }) => name)).toEqual(["ann", "bob"]);
  expect(statSync(join(folder, "keys.oidc")).mode & 0o777).toBe(0o600);
  now = 2_000;
  expect(second.all().map(({ name }) => name)).toEqual(["bob"]);
});

test("a user's newest login counts; users of the same name at other issuers are others", async () => {
  const users = manager();
  await users.remember(user("ann"));
  await users.remember(user("ann", { issuer: "https://other.lab", groups: [] }));
  await users.remember(user("ann", { groups: ["guests"] }));
  expect(users.find("ann", "https://login.lab")?.groups).toEqual(["guests"]);
  expect(users.find("ann", "https://other.lab")?.groups).toEqual([]);
  expect(users.find("ann", undefined)?.name).toBe("ann");
  expect(users.all()).toHaveLength(2);
});

test("without an auth file users are known to this manager alone", async () => {
  const users = manager(null);
  await users.remember(user("ann"));
  expect([users.find("ann", "https://login.lab"), manager(null).find("ann", "https://login.lab")]).toEqual([user("ann"), null]);
});

test("the number of users is limited: the one whose login ends first is forgotten", async () => {
  const users = manager(null);
  for (let at = 0; at <= MAX_USERS; at++) await users.remember(user(`user ${at}`, { until: 5_000 + at }));
  expect([users.all().length, users.find("user 0", "https://login.lab"), users.find("user 1", "https://login.lab")?.name]).toEqual([
    MAX_USERS,
    null,
    "user 1",
  ]);
});

test("a file that others can read or that is damaged has no users, and is not changed", async () => {
  const users = manager();
  writeFileSync(join(folder, "keys.oidc"), '{"version":1,"users":[{}]}', { mode: 0o600 });
  expect(users.all()).toEqual([]);
  await expect(users.remember(user("ann"))).rejects.toThrow("Remove it to have its users log in again");
  expect(logged).toEqual([expect.stringMatching(/^warning: the logins of the OpenID provider are not valid: .* is damaged/)]);
});
