import fc from "fast-check";
import { expect, it } from "vitest";
import { permissionsOfUser, type SubjectOwners } from "../../src/app/bus/user-permissions.ts";
import { ADMIN_GRANTS, type Grant, type Owners, ROLES } from "../../src/base/access/access.ts";
import { subjectMatches } from "../../src/bus/broker/broker-subscriptions.ts";

/** Who publishes or provides each subject; the others are not known. */
const OWNERS: Readonly<Record<string, Owners>> = {
  "topic.world": ["sim/world"],
  "topic.both": ["sim/world", "sim/arm"],
  "topic.mixed": ["sim/world", "vault/keyring"],
  "topic.gold": ["vault/keyring"],
  "topic.tool": null,
  "svc.world": ["sim/world"],
  "svc.shared": ["sim/world", "vault/keyring"],
  "svc.gold": ["vault/keyring"],
};
const SUBJECTS = [
  ...Object.keys(OWNERS),
  "topic.nothing",
  "svc.nothing",
  "topic",
  "plain.subject",
  "$SRV.INFO.gold",
  "$SRV.PING",
  "$MGR.kept",
  "$SYS.x",
  "mgr.host.near.spawn",
  "mgr.bus.report",
  "mgr.client.@eve.x",
  "mgr.client.@bob.x",
  "_INBOX.abc.1",
  "_INBOX",
];
const owners: SubjectOwners = {
  version: 1,
  publishersAt: (subject) => (subject.startsWith("topic.") ? (OWNERS[subject] ?? null) : null),
  providersAt: (subject) => (subject.startsWith("svc.") ? (OWNERS[subject] ?? null) : null),
};

const USERS: readonly (readonly Grant[])[] = [
  [],
  ADMIN_GRANTS,
  [{ role: "operator", on: null }],
  [{ role: "viewer", on: null }],
  ...ROLES.map((role): Grant[] => [{ role, on: ["sim/*"] }]),
  [
    { role: "viewer", on: null },
    { role: "operator", on: ["sim/*"] },
  ],
  [
    { role: "viewer", on: ["sim/*"] },
    { role: "operator", on: ["sim/world"] },
  ],
];

const rank = (grants: readonly Grant[], process: string | null): number =>
  Math.max(
    -1,
    ...grants.flatMap(({ role, on }) => {
      const isOn =
        on === null || (process !== null && on.some((pattern) => (pattern === "sim/*" ? process.startsWith("sim/") : pattern === process)));
      return isOn ? ROLES.indexOf(role) : [];
    }),
  );

/** The lowest rank on everything that a subject belongs to. */
function rankAt(grants: readonly Grant[], subject: string): number {
  const known = OWNERS[subject] ?? null;
  return known === null ? rank(grants, null) : Math.min(...known.map((process) => rank(grants, process)));
}

const [VIEWER, OPERATOR] = [0, 1];
const isReserved = (subject: string) => /^(mgr|\$SYS|\$LDS|\$MGR)(\.|$)/.test(subject);
const isOwn = (subject: string) => subject.startsWith("mgr.client.%40eve.");

/** What docs/access.md says of publishing, written a second time. */
function mayPublish(grants: readonly Grant[], subject: string): boolean {
  if (rank(grants, null) >= OPERATOR) return isOwn(subject) || !isReserved(subject);
  return subject.startsWith("svc.") && rankAt(grants, subject) >= OPERATOR;
}

/** What it says of receiving. */
function mayReceive(grants: readonly Grant[], subject: string): boolean {
  if (rank(grants, null) >= VIEWER) return isOwn(subject) || subject === "mgr.bus.report" || !isReserved(subject);
  return subject.startsWith("topic.") && rankAt(grants, subject) >= VIEWER;
}

it("each user publishes to and receives exactly the subjects that the roles on their owners allow, also behind wildcards", () => {
  const token = fc.constantFrom("topic", "svc", "mgr", "_INBOX", "$SRV", "abc", "*", ">", "world", "gold", "mixed", "host", "client");
  const wanted = fc.oneof(
    fc.constantFrom(...SUBJECTS),
    fc.array(token, { minLength: 1, maxLength: 4 }).map((tokens) => tokens.join(".")),
  );
  fc.assert(
    fc.property(fc.constantFrom(...USERS), fc.constantFrom(...SUBJECTS), wanted, fc.boolean(), (grants, subject, pattern, isGroup) => {
      const permissions = permissionsOfUser("eve", grants, () => owners);
      if (grants.length === 0) return void expect(permissions).toBeNull();
      if (permissions === null) throw new Error("a user with a role has permissions");
      const isAnswer = subject.startsWith("_INBOX.");
      if (!isAnswer) expect(permissions.publish?.(subject)).toBe(mayPublish(grants, subject));
      const isWhole = rank(grants, null) >= OPERATOR;
      if (!isWhole) {
        if (isAnswer) expect(permissions.publish?.(subject)).toBe(false);
        expect(permissions.reply?.(subject)).toBe(isAnswer);
      }
      const allowed = permissions.subscribe?.(pattern, isGroup ? "group" : null) ?? true;
      if (isGroup && !isWhole) return void expect(allowed).toBe(false);
      if (!subjectMatches(pattern, subject)) return;
      const isReceived = allowed === true || (allowed === "filtered" && permissions.deliver?.(subject) === true);
      // Answers are received by who knows the name of the inbox.
      if (isAnswer) expect(isReceived).toBe(pattern.startsWith("_INBOX.abc"));
      else if (isReceived) expect([subject, mayReceive(grants, subject)]).toEqual([subject, true]);
      if (pattern.startsWith("topic.") || pattern === ">")
        expect(isReceived).toBe(mayReceive(grants, subject) && !/^(mgr|_INBOX\.)/.test(subject));
    }),
    { numRuns: 5_000 },
  );
});

it("a change of owners takes effect on the next message, whether a subject was seen or not", () => {
  const present = new Map<string, Owners>([["topic.x", ["sim/world"]]]);
  let version = 1;
  const changing: SubjectOwners = {
    get version() {
      return version;
    },
    publishersAt: (subject) => present.get(subject) ?? null,
    providersAt: (subject) => present.get(subject) ?? null,
  };
  const { deliver, publish } = permissionsOfUser("eve", [{ role: "operator", on: ["sim/*"] }], () => changing) ?? {};
  const change = (owners: Owners) => {
    present.set("topic.x", owners);
    version++;
    return [deliver?.("topic.x"), publish?.("topic.x")];
  };
  expect([deliver?.("topic.x"), publish?.("topic.x")]).toEqual([true, true]);
  expect(change(["sim/world", "vault/keyring"])).toEqual([false, false]);
  expect(change(["sim/arm"])).toEqual([true, true]);
  expect(change(null)).toEqual([false, false]);
});
