import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tryLockFile } from "../../../../src/app/serve-http.ts";
import { ADMIN_GRANTS, type Grant } from "../../../../src/base/access/access.ts";
import type { Principal } from "../../../../src/base/access/principal.ts";
import { DEFAULT_LIFETIME_S, MAX_TOKENS } from "../../../../src/features/access-tokens/limits.ts";
import { AccessTokens } from "../../../../src/features/access-tokens/manager/access-tokens.ts";
import type { LoginSource } from "../../../../src/http/auth/accounts.ts";

const START = Date.parse("2026-11-26T12:00:00Z");
const principal = (user: string, grants: readonly Grant[] = ADMIN_GRANTS, via: Principal["via"] = "cookie"): Principal => ({
  user,
  via,
  address: "",
  grants,
});
const ADA = principal("ada");

let folder: string;
let now: number;
/** Grants of the users of the auth file. */
let users: Map<string, readonly Grant[]>;
const ended: string[] = [];
const logged: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-tokens-"));
  now = START;
  users = new Map([["ada", ADMIN_GRANTS]]);
  ended.length = 0;
  logged.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = () => join(folder, "keys.tokens");

/** A manager with this auth file. */
function manager(authFile: string | null = join(folder, "keys")): { tokens: AccessTokens; source: LoginSource } {
  const tokens = new AccessTokens(() => now);
  const source: LoginSource = tokens.source({
    authFile,
    lock: tryLockFile,
    find: (user) => {
      if (user.startsWith("token:")) return source.find(user);
      const grants = users.get(user);
      return grants === undefined ? null : { user, secret: "", grants };
    },
    open: () => Promise.reject(new Error("an access token opens no session by itself")),
    refused() {},
    ended: (user) => ended.push(user),
    endAll() {},
    log: (level, msg) => logged.push(`${level}: ${msg}`),
  });
  return { tokens, source };
}

function replaceByLink(path: string, target: string): void {
  rmSync(path);
  symlinkSync(target, path);
}

describe("an access token", () => {
  it("is the login of a user of its own, with its role on its patterns", async () => {
    const { tokens, source } = manager();
    const { token, secret } = await tokens.create({ name: "wall", role: "viewer", on: ["sim/*"], lifetime: 3_600 }, ADA);
    expect(secret).toMatch(/^mgr_[\w-]{43}$/);
    const shown = {
      name: "wall",
      role: "viewer",
      on: ["sim/*"],
      for_url: false,
      may_download: false,
      created: "2026-11-26T12:00:00.000",
      created_by: "ada",
      expires: "2026-11-26T13:00:00.000",
      valid: true,
    };
    expect(token).toEqual(shown);
    expect(tokens.list()).toEqual([shown]);
    const account = { user: "token:wall", grants: [{ role: "viewer", on: ["sim/*"] }] };
    expect(source.ofToken?.(secret)).toMatchObject(account);
    expect(source.find("token:wall")).toMatchObject(account);
    expect(source.find("token:other")).toBeNull();
    expect(source.ofToken?.(`mgr_${"x".repeat(43)}`)).toBe("wrong");
    expect(source.ofToken?.("of the bus")).toBeNull();
  });

  it("has a role on everything and 30 days by default", async () => {
    const { tokens, source } = manager();
    const { token, secret } = await tokens.create({ name: "ci", role: "operator" }, ADA);
    expect(Date.parse(`${token.expires}Z`) - START).toBe(DEFAULT_LIFETIME_S * 1_000);
    expect(source.ofToken?.(secret)).toMatchObject({ grants: [{ role: "operator", on: null }] });
  });

  it("is kept as a hash, in a file of mode 0600, and is in no log line", async () => {
    const { tokens } = manager();
    const { secret } = await tokens.create({ name: "wall", role: "viewer", on: ["sim/*", "eyes"] }, ADA);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(readFileSync(file(), "utf8")).not.toContain(secret.slice(4));
    expect(logged).toEqual(["info: access token 'wall' (viewer on sim/*, eyes) was created by ada"]);
  });

  it("ends at its time, and is listed no more", async () => {
    const { tokens, source } = manager();
    const { secret } = await tokens.create({ name: "wall", role: "viewer", lifetime: 60 }, ADA);
    now += 59_999;
    source.refresh?.();
    expect(source.ofToken?.(secret)).toMatchObject({ user: "token:wall" });
    now += 1;
    expect(source.ofToken?.(secret)).toBe("wrong");
    expect(tokens.list()).toEqual([]);
    expect(ended).toEqual([]);
    source.refresh?.();
    source.refresh?.();
    expect(ended).toEqual(["token:wall"]);
  });

  it("ends at once when it is revoked", async () => {
    const { tokens, source } = manager();
    const { secret } = await tokens.create({ name: "wall", role: "viewer" }, ADA);
    await tokens.revoke("wall", ADA);
    expect(ended).toEqual(["token:wall"]);
    expect(source.ofToken?.(secret)).toBe("wrong");
    await expect(tokens.revoke("wall", ADA)).rejects.toMatchObject({ code: "not_found" });
  });

  it("with the name of a revoked one is another login", async () => {
    const { tokens, source } = manager();
    const first = await tokens.create({ name: "wall", role: "viewer" }, ADA);
    const before = source.find("token:wall")?.secret;
    await expect(tokens.create({ name: "wall", role: "admin" }, ADA)).rejects.toMatchObject({ code: "conflict" });
    await tokens.revoke("wall", ADA);
    await tokens.create({ name: "wall", role: "viewer" }, ADA);
    expect(source.ofToken?.(first.secret)).toBe("wrong");
    expect(source.find("token:wall")?.secret).not.toBe(before);
  });

  it("counts only while its creator is an admin", async () => {
    const { tokens, source } = manager();
    const { secret } = await tokens.create({ name: "wall", role: "viewer" }, ADA);
    for (const grants of [undefined, [{ role: "operator", on: null }], [{ role: "admin", on: ["sim/*"] }]] as const) {
      ended.length = 0;
      users = new Map(grants === undefined ? [] : [["ada", grants]]);
      source.refresh?.();
      expect(ended).toEqual(["token:wall"]);
      expect(source.ofToken?.(secret)).toBe("wrong");
      expect(tokens.list()).toMatchObject([{ name: "wall", valid: false }]);
      users = new Map([["ada", ADMIN_GRANTS]]);
      source.refresh?.();
      expect(source.ofToken?.(secret)).toMatchObject({ user: "token:wall" });
    }
  });

  it("of the local user and of an embedding program needs no user of the auth file", async () => {
    const { tokens, source } = manager();
    const local = await tokens.create({ name: "a", role: "viewer" }, principal("local:root", ADMIN_GRANTS, "local"));
    const embedded = await tokens.create({ name: "b", role: "viewer" }, principal("in-process", ADMIN_GRANTS, "in-process"));
    users.clear();
    for (const { secret } of [local, embedded]) expect(source.ofToken?.(secret)).toMatchObject({ grants: [{ role: "viewer" }] });
    expect(tokens.list().map(({ created_by }) => created_by)).toEqual(["local:root", "local:in-process"]);
  });
});

describe("access tokens", () => {
  it.each<readonly Grant[]>([[], [{ role: "operator", on: null }], [{ role: "admin", on: ["*"] }]])(
    "are created by admins alone, not with %j",
    async (...grants) => {
      const { tokens } = manager();
      await expect(tokens.create({ name: "x", role: "viewer" }, principal("eve", grants))).rejects.toMatchObject({ code: "forbidden" });
    },
  );

  it("created by an access token, as no manager writes them, are not valid", async () => {
    const { tokens, source } = manager();
    const { secret } = await tokens.create({ name: "wall", role: "viewer" }, ADA);
    writeFileSync(file(), readFileSync(file(), "utf8").replace('"by":"ada"', '"by":"token:wall"'));
    expect(source.ofToken?.(secret)).toBe("wrong");
    expect(tokens.list()).toMatchObject([{ name: "wall", valid: false }]);
  });

  it("cannot create access tokens, which would outlive them", async () => {
    const { tokens } = manager();
    await expect(tokens.create({ name: "x", role: "admin" }, principal("token:root", ADMIN_GRANTS, "bearer"))).rejects.toMatchObject({
      code: "forbidden",
    });
  });

  it("are bounded in number; expired ones do not count", async () => {
    const { tokens } = manager();
    const hash = "0".repeat(64);
    const stored = Array.from({ length: MAX_TOKENS }, (_, index) => ({
      name: `t${index}`,
      hash,
      role: "viewer",
      on: null,
      created: 0,
      expires: START + 1_000,
      by: "ada",
    }));
    writeFileSync(file(), JSON.stringify({ version: 1, tokens: stored }), { mode: 0o600 });
    await expect(tokens.create({ name: "one-more", role: "viewer" }, ADA)).rejects.toThrow("256 access tokens");
    now += 1_000;
    await tokens.create({ name: "one-more", role: "viewer" }, ADA);
    expect(tokens.list()).toHaveLength(1);
  });

  it("are shared by managers with the same auth file, revocations included", async () => {
    const [one, other] = [manager(), manager()];
    const [a, b] = await Promise.all([
      one.tokens.create({ name: "a", role: "viewer" }, ADA),
      other.tokens.create({ name: "b", role: "operator" }, ADA),
    ]);
    expect(other.source.ofToken?.(a.secret)).toMatchObject({ user: "token:a" });
    expect(one.source.ofToken?.(b.secret)).toMatchObject({ user: "token:b" });
    for (const { source } of [one, other]) source.refresh?.();
    await one.tokens.revoke("b", ADA);
    expect(ended).toEqual(["token:b"]);
    other.source.refresh?.();
    expect(ended).toEqual(["token:b", "token:b"]);
  });

  it.each([
    ["that others can read", () => chmodSync(file(), 0o640), "readable or writable by group or others"],
    ["that is damaged", () => writeFileSync(file(), '{"version":1,"tokens":[{}]}'), "is damaged"],
    ["that is a device", () => replaceByLink(file(), "/dev/zero"), "not a regular file"],
  ])("in a file %s are not valid and not changed, and the log says why", async (_, spoil, reason) => {
    const { tokens, source } = manager();
    const { secret } = await tokens.create({ name: "wall", role: "viewer" }, ADA);
    spoil();
    expect(source.ofToken?.(secret)).toBe("wrong");
    expect(source.ofToken?.(secret)).toBe("wrong");
    expect(logged.filter((line) => line.startsWith("warning: the access tokens are not valid"))).toEqual([expect.stringContaining(reason)]);
    await expect(tokens.create({ name: "x", role: "viewer" }, ADA)).rejects.toThrow(reason);
    await expect(tokens.revoke("wall", ADA)).rejects.toThrow(reason);
  });

  it("need an auth file, and a port", async () => {
    const { tokens } = manager(null);
    expect(tokens.list()).toEqual([]);
    await expect(tokens.create({ name: "x", role: "viewer" }, ADA)).rejects.toThrow("instance.webui_auth_file");
    const without = new AccessTokens(() => now);
    expect(without.list()).toEqual([]);
    await expect(without.create({ name: "x", role: "viewer" }, ADA)).rejects.toThrow("no port");
  });
});
