import { expect, it } from "vitest";
import { type Account, Accounts, type LoginSource } from "../../../src/http/auth/accounts.ts";
import { parseAuthFile } from "../../../src/http/auth/auth-entries.ts";
import { accessOf } from "../../support/access.ts";

const GUEST: Account = { user: "badge:guest", secret: "", grants: [{ role: "viewer", on: ["sim/*"] }] };
const ADMIN = [{ role: "admin", on: null }];
const badges: LoginSource = { kind: "badge", find: (user) => (user === GUEST.user ? GUEST : null) };

it("a user of a source has the grants of its account, and none without one, although users without an entry are admins", () => {
  const accounts = new Accounts(accessOf(), [badges]);
  expect(accounts.grantsOf({ user: "ann", via: "cookie" })).toEqual(ADMIN);
  for (const via of ["bearer", "cookie", "token", "proxy"] as const) {
    expect(accounts.grantsOf({ user: "badge:guest", via })).toEqual(GUEST.grants);
    expect(accounts.grantsOf({ user: "badge:other", via })).toEqual([]);
    expect(accounts.grantsOf({ user: "removed-feature:ann", via })).toEqual([]);
  }
});

it("the configuration decides about users of the auth file and of the local socket", () => {
  const accounts = new Accounts(accessOf({ default: "none", users: { ann: "operator" } }), [badges]);
  const { entries } = parseAuthFile("ann secret\nbob secret\n");
  const find = accounts.among(entries);
  expect(find("ann")).toEqual({ user: "ann", secret: "secret", grants: [{ role: "operator", on: null }] });
  expect(find("bob")).toMatchObject({ grants: [] });
  expect(find("eve")).toBe(null);
  expect(find("badge:guest")).toBe(GUEST);
  expect(accounts.grantsOf({ user: "local:root", via: "local" })).toEqual(ADMIN);
});
