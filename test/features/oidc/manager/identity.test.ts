import { expect, it, test } from "vitest";
import { parseConfigText } from "../../../../src/config/load/load.ts";
import { identityIn, isIncomplete } from "../../../../src/features/oidc/manager/identity.ts";

const settings = (more: Record<string, unknown> = {}) => {
  const oidc = { issuer: "https://login.lab", client_id: "mgr", url: "https://bench.lab", groups: { pilots: "admin" }, ...more };
  const read = parseConfigText(JSON.stringify({ instance: { name: "t", manager: ":0", oidc }, processes: {} }), "mgr.yaml").instance.oidc;
  if (read === null) throw new Error("there are no settings");
  return read;
};

const CLAIMS = { sub: "17", preferred_username: "ann", groups: ["pilots", "all"] };

test("a user has the name, the subject and the groups of the claims", () => {
  expect(identityIn(CLAIMS, settings())).toEqual({ name: "ann", subject: "17", groups: ["pilots", "all"] });
  const other = { name_claim: "email", groups_claim: "https://lab/groups" };
  expect(identityIn({ sub: "17", email: "ann@lab", "https://lab/groups": "pilots" }, settings(other))).toEqual({
    name: "ann@lab",
    subject: "17",
    groups: ["pilots"],
  });
});

test("the claim with the groups may lie within objects", () => {
  const nested = { ...CLAIMS, realm_access: { roles: ["pilots"] } };
  expect(identityIn(nested, settings({ groups_claim: "realm_access.roles" }))).toMatchObject({ groups: ["pilots"] });
  expect(identityIn(nested, settings({ groups_claim: "realm_access.roles.0" }))).toMatchObject({ groups: ["pilots"] });
  expect(identityIn(nested, settings({ groups_claim: "constructor.name" }))).toMatchObject({ groups: [] });
});

it.each([undefined, null, 7, {}, [[]], ["", 3, "x".repeat(256)]])("groups %j are none", (groups) => {
  expect(identityIn({ ...CLAIMS, groups }, settings())).toMatchObject({ groups: [] });
});

it.each([undefined, "", " ann", "ann ", "local:root", "a\nb", "\u202eann", "x".repeat(256), 7, ["ann"]])(
  "the name %j is refused",
  (name) => {
    expect(identityIn({ ...CLAIMS, preferred_username: name }, settings())).toEqual(expect.stringContaining("preferred_username"));
  },
);

test("a user without a subject is refused", () => {
  for (const sub of [undefined, "", 17]) expect(identityIn({ ...CLAIMS, sub }, settings())).toEqual(expect.stringContaining("'sub'"));
});

test("of very many groups those with a role are kept", () => {
  const groups = [...Array.from({ length: 1_000 }, (_, at) => `group number ${at}`), "pilots"];
  const identity = identityIn({ ...CLAIMS, groups }, settings());
  if (typeof identity === "string") throw new Error(identity);
  expect(identity.groups).toContain("pilots");
  expect(identity.groups.join("").length).toBeLessThanOrEqual(4_096);
});

test("claims are incomplete without the name or the groups", () => {
  expect(isIncomplete(CLAIMS, settings())).toBe(false);
  expect(isIncomplete({ ...CLAIMS, groups: undefined }, settings())).toBe(true);
  expect(isIncomplete({ sub: "17", groups: [] }, settings())).toBe(true);
});
