import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, test } from "vitest";
import { parseConfigText } from "../../../src/config/load/load.ts";
import { fixedSettings, reloadedSettings } from "../../../src/config/plan.ts";
import { redactConfig } from "../../../src/config/redact.ts";

const parsed = (text: string) => parseConfigText(`instance: {name: t, manager: ":0"${text}}\nprocesses: {}\n`, "mgr.yaml").instance.oidc;
const LEAST = "issuer: https://login.lab/realms/lab, client_id: mgr, url: 'https://bench.lab:8130'";

test("there is no provider by default; a provider's users have no role unless their group has one", () => {
  expect(parsed("")).toBeNull();
  expect(parsed(`, oidc: {${LEAST}}`)).toEqual({
    issuer: "https://login.lab/realms/lab",
    client_id: "mgr",
    client_secret: null,
    client_auth: "basic",
    url: "https://bench.lab:8130",
    name: null,
    scopes: ["openid", "profile"],
    name_claim: "preferred_username",
    groups_claim: "groups",
    groups: new Map(),
    default: "none",
    session: 12 * 3_600_000,
  });
});

it.each([
  ["{}", "oidc.issuer: is missing"],
  ["{issuer: https://login.lab, client_id: mgr}", "oidc.url: is missing"],
  ["{issuer: 'http://login.lab', client_id: mgr, url: 'https://bench.lab'}", "must begin with https://"],
  ["{issuer: 'https://login.lab/?a', client_id: mgr, url: 'https://bench.lab'}", "neither a user nor"],
  ["{issuer: https://login.lab, client_id: mgr, url: 'https://bench.lab/mgr'}", "a host and perhaps a port"],
  ["{issuer: https://login.lab, client_id: mgr, url: 'javascript:alert(1)'}", "a host and perhaps a port"],
  [`{${LEAST}, client_secret: hunter2}`, "must be a mapping with one of the keys file, env"],
  [`{${LEAST}, scopes: [profile]}`, "must include openid"],
  [`{${LEAST}, scopes: [openid, 'a b']}`, "a word without spaces"],
  [`{${LEAST}, groups: {pilots: root}}`, "found 'root'"],
  [`{${LEAST}, session: 0s}`, "more than 0"],
])("oidc: %s is refused", (text, reason) => {
  expect(() => parsed(`, oidc: ${text}`)).toThrow(reason);
});

test("a provider on this machine may use plain HTTP", () => {
  for (const issuer of ["http://localhost:8080", "http://127.0.0.1:8080/lab", "http://[::1]:8080"])
    expect(parsed(`, oidc: {issuer: '${issuer}', client_id: mgr, url: 'http://bench.lab:8130'}`)?.issuer).toBe(issuer);
});

test("a reload takes another provider, and leaves what takes effect at the next start only", () => {
  const [before, after] = ["a", "b"].map((id) =>
    parseConfigText(`instance: {name: ${id}, manager: ":0", oidc: {${LEAST.replace("mgr", id)}}}\nprocesses: {}\n`, "mgr.yaml"),
  );
  if (before === undefined || after === undefined) throw new Error("there are two");
  expect(fixedSettings(before, after)).toEqual(["instance.name", "instance.state_dir"]);
  expect(reloadedSettings(before.instance, after.instance)).toMatchObject({ name: "a", oidc: { client_id: "b" } });
});

test("the example of docs/logins.md is valid, and copies of it do not show where the secret is", () => {
  const document = readFileSync(join(import.meta.dirname, "../../../docs/logins.md"), "utf8");
  const examples = [...document.matchAll(/^```yaml\n(.*?)^```/gmsu)].map(([, text = ""]) => text);
  const example = examples.find((text) => text.includes("oidc:")) ?? "";
  const { oidc } = parseConfigText(`${example}\nprocesses: {}\n`, "mgr.yaml").instance;
  expect(oidc?.groups.get("sim-team")).toEqual([{ role: "operator", on: ["sim/*"], may_download: false }]);
  expect(redactConfig(example)).not.toContain("oidc.secret");
});
