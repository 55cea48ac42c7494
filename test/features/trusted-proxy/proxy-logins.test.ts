import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { parseConfigText } from "../../../src/config/load/load.ts";
import type { TrustedProxySettings } from "../../../src/features/trusted-proxy/config.ts";
import { ProxyLogins } from "../../../src/features/trusted-proxy/manager/proxy-logins.ts";
import { Logins } from "../../../src/http/auth/logins.ts";
import { isRefusal } from "../../../src/http/request/refusal.ts";
import { accessOf } from "../../support/access.ts";

const SETTINGS: TrustedProxySettings = { addresses: ["10.0.0.7", "fd00::/64"], user_header: "X-Forwarded-User", role: "operator" };
const PROXY = { ip: "10.0.0.7", port: 4_711, isSecure: false, localUser: null };
const OTHER = { ...PROXY, ip: "10.0.0.8" };
const PASSWORD = `Basic ${btoa("ada:secret")}`;

let folder: string;
let settings: TrustedProxySettings | null;
const logged: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-proxy-"));
  writeFileSync(join(folder, "keys"), "ada secret\n", { mode: 0o600 });
  settings = SETTINGS;
  logged.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Sends a request; resolves with its principal, or the status of its refusal. */
async function ask(headers: Record<string, string>, remote = PROXY, authFile: string | null = join(folder, "keys")) {
  const proxy = new ProxyLogins(() => settings);
  const log = (level: string, msg: string) => logged.push(`${level}: ${msg}`);
  const logins = new Logins({
    path: authFile,
    access: accessOf(),
    observer: null,
    lock: () => ({ release() {} }),
    isHttpsOnly: false,
    sources: [(host) => proxy.source(host)],
    end: () => {},
    log,
  });
  const visit = { remote, url: new URL("http://localhost/"), isLogin: false };
  const requests = [0, 1].map(() => logins.authenticator.authenticate(new Headers(headers), visit));
  const [outcome] = await Promise.all(requests);
  await logins.flush();
  if (outcome === undefined) throw new Error("there is no answer");
  return isRefusal(outcome) ? outcome.status : outcome;
}

describe("the header of a trusted proxy", () => {
  it("logs its user in with the configured role, without a session", async () => {
    const grants = [{ role: "operator", on: null }];
    const principal = { user: "proxy:eve@lab", via: "proxy", address: "10.0.0.7:4711", grants };
    expect(await ask({ "x-forwarded-user": "eve@lab" })).toEqual({ principal, sessionId: null, setCookie: null });
    const inside = { ...PROXY, ip: "fd00::17" };
    expect(await ask({ "x-forwarded-user": "eve" }, inside)).toMatchObject({
      principal: { user: "proxy:eve", address: "[fd00::17]:4711" },
    });
    expect(await ask({ "x-forwarded-user": "eve" }, { ...PROXY, ip: "fd00:0:0:1::17" })).toBe(401);
    expect(logged.filter((line) => line.includes("fd00:0:0:1::17"))).toHaveLength(1);
  });

  it("from any other address is ignored, and logged once", async () => {
    expect(await ask({ "x-forwarded-user": "eve" }, OTHER)).toBe(401);
    expect(logged.filter((line) => line.includes("10.0.0.8"))).toEqual([
      expect.stringMatching(/^warning: the header X-Forwarded-User from 10\.0\.0\.8 is ignored/),
    ]);
    expect(await ask({ "x-forwarded-user": "eve", authorization: PASSWORD }, OTHER)).toMatchObject({ principal: { user: "ada" } });
  });

  it("is ignored while no proxy is configured", async () => {
    settings = null;
    expect(await ask({ "x-forwarded-user": "eve" })).toBe(401);
    expect(logged).toEqual([]);
  });

  it("needs no auth file", async () => {
    expect(await ask({ "x-forwarded-user": "eve" }, PROXY, null)).toMatchObject({ principal: { user: "proxy:eve" } });
    expect(await ask({ authorization: PASSWORD }, PROXY, null)).toBe(403);
  });

  it.each(["", " ", "eve, admin", "local:root", "a;b", "\u202eeve", "x".repeat(256)])(
    "that names no single user (%j) is refused",
    async (name) => {
      expect(await ask({ "x-forwarded-user": encodeHeader(name) })).toBe(403);
    },
  );

  it("is read as UTF-8", async () => {
    expect(await ask({ "x-forwarded-user": encodeHeader("jörg") })).toMatchObject({ principal: { user: "proxy:jörg" } });
  });

  it("wins over a password that the proxy passes on; without it, users log in as before", async () => {
    expect(await ask({ "x-forwarded-user": "eve", authorization: PASSWORD })).toMatchObject({ principal: { user: "proxy:eve" } });
    expect(await ask({ authorization: PASSWORD })).toMatchObject({ principal: { user: "ada", via: "basic" } });
  });
});

test("another role or another address takes effect at once, on open connections, too", () => {
  const reasons: string[] = [];
  const source = new ProxyLogins(() => settings).source({ log() {}, endAll: (reason) => reasons.push(reason) });
  source.refresh?.();
  settings = { ...SETTINGS };
  source.refresh?.();
  expect(reasons).toEqual([]);
  settings = { ...SETTINGS, role: "viewer" };
  source.refresh?.();
  source.refresh?.();
  expect(reasons).toEqual(["the settings of the trusted proxy have changed"]);
  expect(source.find("proxy:eve")?.grants).toEqual([{ role: "viewer", on: null }]);
  settings = null;
  source.refresh?.();
  expect([reasons.length, source.find("proxy:eve")]).toEqual([2, null]);
});

/** As a client sends it: bytes as Latin-1. */
const encodeHeader = (name: string): string => Buffer.from(name).toString("latin1");

const parsed = (text: string) =>
  parseConfigText(`instance: {name: t, manager: ":0"${text}}\nprocesses: {}\n`, "mgr.yaml").instance.trusted_proxy;

test("no proxy is trusted by default; its users are viewers unless a role is given", () => {
  expect(parsed("")).toBeNull();
  expect(parsed(", trusted_proxy: {addresses: [10.0.0.7]}")).toEqual({ ...SETTINGS, addresses: ["10.0.0.7"], role: "viewer" });
});

it.each([
  ["{}", "must list the addresses"],
  ["{addresses: []}", "must list the addresses"],
  ["{addresses: [proxy.lab]}", "found 'proxy.lab'"],
  ["{addresses: [10.0.0.0/33]}", "found '10.0.0.0/33'"],
  ["{addresses: [0.0.0.0/0]}", "found '0.0.0.0/0'"],
  ["{addresses: [10.0.0.7], user_header: 'X User'}", "found 'X User'"],
  ["{addresses: [10.0.0.7], user_header: Cookie}", "has another meaning"],
  ["{addresses: [10.0.0.7], role: root}", "found 'root'"],
])("trusted_proxy: %s is refused", (text, reason) => {
  expect(() => parsed(`, trusted_proxy: ${text}`)).toThrow(reason);
});

test("the example of docs/logins.md is valid", () => {
  const document = readFileSync(join(import.meta.dirname, "../../../docs/logins.md"), "utf8");
  const examples = [...document.matchAll(/^```yaml\n(.*?)^```/gmsu)].map(([, text = ""]) => text);
  const example = examples.find((text) => text.includes("trusted_proxy:")) ?? "";
  expect(parseConfigText(`${example}\nprocesses: {}\n`, "mgr.yaml").instance.trusted_proxy).toMatchObject({ role: "operator" });
});
