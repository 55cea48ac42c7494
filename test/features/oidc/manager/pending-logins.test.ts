import { expect, test } from "vitest";
import { MAX_PENDING, PENDING_MS, PendingLogins } from "../../../../src/features/oidc/manager/pending-logins.ts";

const begun = (login: string, address = "10.0.0.1") => ({ login, binding: `binding of ${login}`, address });

test("a pending login is completed once, with its binding, within ten minutes", () => {
  let now = 0;
  const pending = new PendingLogins<string>(() => now);
  pending.add("a", begun("ann"));
  pending.add("b", begun("bob"));
  expect([pending.take("a", "binding of bob"), pending.take("a", ""), pending.take("c", "binding of ann")]).toEqual([null, null, null]);
  expect([pending.take("a", "binding of ann"), pending.take("a", "binding of ann")]).toEqual(["ann", null]);
  now = PENDING_MS;
  expect(pending.take("b", "binding of bob")).toBeNull();
});

test("many pending logins of one address drop its oldest, and no others", () => {
  const pending = new PendingLogins<string>(() => 0);
  pending.add("other", begun("other", "10.0.0.2"));
  for (let at = 0; at < 33; at++) pending.add(`s${at}`, begun(`s${at}`));
  expect(pending.take("s0", "binding of s0")).toBeNull();
  for (const login of ["s1", "s32", "other"]) expect(pending.take(login, `binding of ${login}`)).toBe(login);
});

test("the number of pending logins is limited, and those that took too long make room", () => {
  let now = 0;
  const pending = new PendingLogins<string>(() => now);
  const add = (at: number) => pending.add(`s${at}`, begun(`s${at}`, `address ${at}`));
  for (let at = 0; at <= MAX_PENDING; at++) add(at);
  expect([pending.take("s0", "binding of s0"), pending.take("s1", "binding of s1")]).toEqual([null, "s1"]);
  now = PENDING_MS;
  add(9_999);
  now = 0;
  expect([pending.take("s2", "binding of s2"), pending.take("s9999", "binding of s9999")]).toEqual([null, "s9999"]);
});
