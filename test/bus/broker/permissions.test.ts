import fc from "fast-check";
import { expect, it } from "vitest";
import { SubscriptionTree } from "../../../src/bus/broker/broker-subscriptions.ts";
import { type BusMember, permissionsOf } from "../../../src/bus/broker/permissions.ts";

const token = fc.constantFrom("mgr", "host", "client", "bus", "report", "far", "near", "arm", "do", "_INBOX", "abc123", "$SYS", "state");
const literal = fc.array(token, { minLength: 1, maxLength: 5 }).map((tokens) => tokens.join("."));
const pattern = fc
  .array(fc.oneof({ weight: 3, arbitrary: token }, { weight: 1, arbitrary: fc.constant("*") }), { minLength: 1, maxLength: 5 })
  .chain((tokens) => fc.boolean().map((isOpen) => (isOpen ? [...tokens, ">"] : tokens).join(".")));
const member: fc.Arbitrary<BusMember> = fc.constantFrom({ kind: "host", name: "far" }, { kind: "client", name: "arm" });

function matches(wanted: string, subject: string): boolean {
  const tree = new SubscriptionTree<{ subject: string; queue: null }>();
  tree.insert({ subject: wanted, queue: null });
  return tree.match(subject).plain.length > 0;
}

/** Who may see it, said once more in plain words. */
function isVisible({ kind, name }: BusMember, subject: string): boolean {
  const [first, second, third, ...rest] = subject.split(".");
  if (first === "$SYS") return false;
  if (first === "mgr") return (second === kind && third === name && rest.length > 0) || subject === "mgr.bus.report";
  return true;
}

it("no pattern, however it is composed, gives a member messages for others", () => {
  fc.assert(
    fc.property(member, pattern, literal, (who, wanted, subject) => {
      if (!matches(wanted, subject)) return;
      const { subscribe, deliver } = permissionsOf(who);
      const allowed = subscribe?.(wanted, null);
      const isSeen = allowed === true || (allowed === "filtered" && deliver?.(subject) === true);
      if (isSeen) expect(isVisible(who, subject)).toBe(true);
      // Answers to others are seen by those only who know the inbox's own name.
      if (isSeen && subject.startsWith("_INBOX.")) expect(wanted.split(".").slice(0, 2)).toEqual(subject.split(".").slice(0, 2));
    }),
    { numRuns: 20_000 },
  );
});

it("a host may publish for itself and answer, a client everything that is not reserved", () => {
  fc.assert(
    fc.property(member, literal, (who, subject) => {
      const [first, second, third, ...rest] = subject.split(".");
      const isOwn = first === "mgr" && second === who.kind && third === who.name && rest.length > 0;
      const isAnswer = first === "_INBOX" && second !== undefined;
      const isTopic = first !== "mgr" && first !== "$SYS";
      expect(permissionsOf(who).publish?.(subject)).toBe(isOwn || isAnswer || (who.kind === "client" && isTopic));
    }),
  );
});

it("names that look like subjects are one token, and cannot match another's", () => {
  const { publish } = permissionsOf({ kind: "client", name: "a.b > *" });
  expect(publish?.("mgr.client.a%2Eb%20%3E%20%2A.x")).toBe(true);
  expect(publish?.("mgr.client.a.b")).toBe(false);
});
