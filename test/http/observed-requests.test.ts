import { expect, it } from "vitest";
import type { CommandObserver } from "../../src/base/command-observer.ts";
import { MgrError } from "../../src/base/errors.ts";
import type { Account, LoginSource } from "../../src/http/auth/accounts.ts";
import type { Route } from "../../src/http/route.ts";
import { AppRig, BROWSER, OWN } from "./access/app-rig.ts";
import { basic, GOOD, USER } from "./rig.ts";

/** The calls of an observer: the name of the command, its user, and its outcome. */
class Notes implements CommandObserver {
  readonly seen: unknown[] = [];
  refusal: MgrError | null = null;

  before: CommandObserver["before"] = async ({ name, sender: { user, via }, client, args }) => {
    if (this.refusal !== null) throw this.refusal;
    this.seen.push([name, user, via, client, args]);
    return (outcome) => void this.seen.push([name, outcome.ok ? "accepted" : outcome.code]);
  };

  refused: CommandObserver["refused"] = ({ name, sender: { user, address } }, { code }) => void this.seen.push([name, user, address, code]);
}

const route = (path: string, rest: Partial<Route> = {}): Route => ({
  path,
  method: "GET",
  needs: null,
  handle: (context) => new Response("done", { status: Number(context.req.query("status") ?? 200) }),
  ...rest,
});
const ROUTES = [
  route("/read"),
  route("/change", { effect: () => "Change" }),
  route("/post", { method: "POST" }),
  route("/login", { method: "POST", isLogin: true }),
];

it("log-ins are observed, and failed ones too", async () => {
  const notes = new Notes();
  using rig = new AppRig(ROUTES, { observer: notes });
  await rig.request("/read", { authorization: GOOD, "user-agent": "curl/8.1" });
  await rig.request("/read", { authorization: basic(USER, "wrong") });
  expect(notes.seen).toEqual([
    ["log_in", USER, "basic", "curl", {}],
    ["log_in", "accepted"],
    ["log_in", USER, "10.0.0.9:1", "forbidden"],
  ]);
});

/** The access tokens of a feature: one, of a user whose account a test replaces. */
class Badges implements LoginSource {
  readonly kind = "badge";
  account: Account | null = { user: "badge:x", secret: "1", grants: [{ role: "viewer", on: ["sim/*"] }] };
  find = () => this.account;
  ofToken = (token: string) => (token === "right" ? this.account : null) ?? "wrong";
}

it("log-ins with an access token are observed as those of its user, and failed ones too; scripts open no session", async () => {
  const notes = new Notes();
  using rig = new AppRig(ROUTES, { observer: notes, sources: [new Badges()] });
  await rig.request("/read", { authorization: "Bearer right", ...BROWSER });
  await rig.request("/read", { authorization: "Bearer right", "user-agent": "curl/8.1" });
  await rig.request("/read", { authorization: "Bearer wrong", ...BROWSER });
  expect(notes.seen).toEqual([
    ["log_in", "badge:x", "bearer", "browser", {}],
    ["log_in", "accepted"],
    ["log_in", "unknown token", "10.0.0.9:1", "forbidden"],
  ]);
});

it("a user who is revoked while the log-in waits for its observer gets no session", async () => {
  const notes = new Notes();
  const badges = new Badges();
  const observer: CommandObserver = {
    ...notes,
    before: async (command) => {
      badges.account = null;
      return notes.before(command);
    },
  };
  using rig = new AppRig(ROUTES, { observer, sources: [badges] });
  const response = await rig.request("/read", { authorization: "Bearer right", ...BROWSER });
  expect([response.status, response.headers.get("set-cookie")]).toEqual([401, null]);
  expect(notes.seen.at(-1)).toEqual(["log_in", "forbidden"]);
});

it("requests that change something are observed with their outcome, without what proves their sender", async () => {
  const notes = new Notes();
  using rig = new AppRig(ROUTES, { observer: notes });
  const cookie = await rig.cookie();
  notes.seen.length = 0;
  const page = { cookie, origin: OWN, ...BROWSER };
  await rig.request("/read", page);
  await rig.request("/change", page, "HEAD");
  await rig.request("/login", page, "POST");
  await rig.request("/change?name=x&request_token=secret&status=404", page);
  await rig.request("/post", page, "POST");
  expect(notes.seen).toEqual([
    ["GET /change", USER, "cookie", "browser", { name: "x", status: "404" }],
    ["GET /change", "not_found"],
    ["POST /post", USER, "cookie", "browser", {}],
    ["POST /post", "accepted"],
  ]);
});

it("a request that its user may not send is observed as refused", async () => {
  const notes = new Notes();
  const needs = () => ({ need: "admin", on: null }) as const;
  using rig = new AppRig([route("/change", { effect: () => "Change", needs })], { observer: notes, access: { default: "viewer" } });
  await rig.request("/change", { authorization: GOOD });
  expect(notes.seen.at(-1)).toEqual(["GET /change", USER, "10.0.0.9:1", "forbidden"]);
});

it("a request or log-in that its observer refuses has no effect", async () => {
  const notes = new Notes();
  let handled = 0;
  const handle = () => {
    handled++;
    return new Response("done");
  };
  using rig = new AppRig([route("/change", { effect: () => "Change", handle })], { observer: notes });
  const cookie = await rig.cookie();
  notes.refusal = new MgrError("conflict", "The audit cannot be written");
  const refused = await rig.request("/change", { cookie, origin: OWN });
  expect([refused.status, await refused.text()]).toEqual([503, "The audit cannot be written.\n"]);
  const logIn = await rig.request("/change", { authorization: GOOD });
  expect([logIn.status, logIn.headers.get("set-cookie"), handled]).toEqual([503, null, 0]);
});
