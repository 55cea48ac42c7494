import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ProcessView } from "../../support/client.ts";
import { PageRig, soon } from "../../support/page-rig.ts";
import { ECHO } from "../../support/shell.ts";

let rig: PageRig;

beforeAll(async () => {
  rig = await PageRig.up({
    processes: {
      "tools/echo": { command: ECHO, autostart: true },
      "sim/world": { command: ECHO, autostart: true },
      "sim/needs": { command: ECHO, autostart: true, depends_on: ["vault/keyring"] },
      "vault/keyring": { command: ECHO, autostart: true },
    },
  });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

/** Runs a command on the rig's configuration, insists that it succeeds, and resolves with its output. */
async function run(...words: string[]): Promise<string> {
  const outcome = await rig.instance.run(...words, "-c", rig.instance.config);
  expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
  return outcome.stdout;
}

test("a link that an admin creates on the page logs in another browser after one click, until it is revoked", async () => {
  const admin = await rig.open("/?view=access");
  await admin.page.getByRole("button", { name: "Create a link" }).click();
  const form = admin.page.getByRole("complementary", { name: "New link" });
  await form.getByLabel("Name").fill("wall");
  await form.getByLabel("Processes", { exact: true }).fill("tools/*");
  await form.getByRole("button", { name: "Create", exact: true }).click();
  const link = await admin.page.getByLabel("Link", { exact: true }).inputValue();
  expect(link).toMatch(/^http:\/\/localhost:\d+\/mgr\/enter#mgr_[\w-]{43}$/);

  const context = await rig.browser.newContext({ viewport: { width: 1280, height: 800 } });
  const wall = await context.newPage();
  await wall.goto(link);
  await wall.getByRole("button", { name: "Log in" }).click();
  await soon(() => wall.locator(".status .user").textContent()).toContain("token:wall");
  expect(wall.url()).not.toContain("mgr_");
  // The manager's log names the user, and the token is in none of its lines.
  const { stdout } = await rig.instance.mgr("log", "--lines", "1000");
  expect(stdout).toContain("access token 'wall' (viewer on tools/*) was created by ada");
  expect(stdout).not.toContain(link.slice(-43));
  const audited = await rig.instance.mgr("audit", "--user", "token:wall", "--json");
  expect(audited.stdout).toContain('"log_in"');
  expect((await rig.instance.mgr("audit", "--command", "create_access_token")).stdout).toContain("ada");

  await admin.page.getByRole("complementary", { name: "Link of wall" }).getByRole("button", { name: "Close" }).click();
  await admin.page.getByRole("button", { name: "wall", exact: true }).click();
  await admin.page.getByRole("button", { name: "Revoke" }).click();
  await admin.page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await admin.page.getByText("No links.").waitFor();
  await wall.goto(link);
  await wall.getByRole("button", { name: "Log in" }).click();
  await wall.getByText("The access token is unknown, has expired or was revoked.").waitFor();
  await context.close();
  expect(rig.complaints).toEqual([]);
});

test("a client with the token of a viewer on sim/* sees these processes alone, changes nothing, and is disconnected when it is revoked", async () => {
  const { instance, client: admin } = rig;
  const { secret } = JSON.parse(await run("token", "create", "eye", "--role", "viewer", "--on", "sim/*", "--json"));
  const authorization = `Bearer ${secret}`;
  const eye = await instance.connect("", authorization);
  const { processes } = await eye.snapshot();
  expect((processes as ProcessView[]).map(({ name }) => name).sort()).toEqual(["sim/needs", "sim/world"]);
  await eye.command({ type: "subscribe_process_output", patterns: ["*"] });
  // Others start again meanwhile, one of which a process in view depends on.
  const from = admin.here;
  await admin.command({ type: "subscribe_process_output", patterns: ["*"] });
  for (const name of ["vault/keyring", "sim/world"]) {
    await admin.command({ type: "restart_process", name });
    await admin.untilOutput(name, "hello", from);
  }
  await eye.untilOutput("sim/world", "hello");
  for (const frame of [
    { type: "start_process", name: "sim/world" },
    { type: "request_loggers" },
    { type: "request_recordings" },
    { type: "request_access_tokens" },
    { type: "create_access_token", name: "more", role: "viewer", on: ["sim/*"] },
  ])
    expect(await eye.ask(frame), frame.type).toMatchObject({ type: "error", code: "forbidden" });
  const pages = ["/mgr/log", "/mgr/metrics", "/save-all", "/mgr/bus", "/mgr/output?name=vault/keyring"];
  const answers = await Promise.all(pages.map((path) => fetch(instance.url + path, { headers: { authorization } })));
  expect(answers.map(({ status }) => status)).toEqual(pages.map(() => 403));
  await eye.snapshot();
  expect(eye.frames.filter((frame) => /vault|keyring|\btools\b/.test(JSON.stringify(frame)))).toEqual([]);
  expect(await eye.ask({ type: "start_process", name: "vault/keyring" })).toMatchObject({ code: "forbidden" });
  expect(eye.problems).toEqual([]);
  await run("token", "revoke", "eye");
  expect(await eye.closed).toMatchObject({ code: 1008, reason: expect.stringContaining("revoked") });
  await expect(instance.connect("", authorization)).rejects.toThrow("401");
});

test("the commands of docs/logins.md work as they stand there", async () => {
  const text = readFileSync(new URL("../../../../docs/logins.md", import.meta.url), "utf8");
  const [, first = ""] = /^```sh\n(.*?)^```/msu.exec(text) ?? [];
  const lines = first.trim().split("\n");
  expect(lines).toHaveLength(4);
  for (const line of lines) {
    const [program, ...words] = line.split(" ").map((word) => word.replaceAll("'", ""));
    expect(program).toBe("mgr");
    expect(await rig.instance.run(...words, "-c", rig.instance.config), line).toMatchObject({ code: 0 });
  }
  expect(readFileSync(join(rig.instance.dir, "ci.token"), "utf8")).toMatch(/^mgr_[\w-]{43}\n$/);
  await rig.instance.run("token", "revoke", "ci", "-c", rig.instance.config);
});

test("the command creates, uses, lists and revokes access tokens", async () => {
  const { instance } = rig;
  const file = join(instance.dir, "ci.token");
  const created = await run("token", "create", "ci", "--role", "operator", "--expires", "12h", "--save", file);
  expect(created).toMatch(/^token:ci is operator on everything until \d{4}-\d\d-\d\d \d\d:\d\d UTC\n/);
  const byToken = ["--url", instance.url, "--token-file", file];
  expect(await run("ps", ...byToken)).toContain("tools/echo");
  expect(JSON.parse(await run("token", "list", "--json"))).toMatchObject([
    { name: "ci", role: "operator", on: null, created_by: expect.stringMatching(/^local:/), valid: true },
  ]);
  const shown = await run("token", "create", "--role", "viewer", "--on", "tools/*", "--json");
  const { name, secret, link } = JSON.parse(shown);
  expect(name).toMatch(/^viewer-[0-9a-f]{6}$/);
  expect(link).toBe(`${instance.url}/mgr/enter#${secret}`);
  await run("token", "revoke", "ci", name);
  const refused = await instance.run("ps", ...byToken);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("login refused (401)") });
  writeFileSync(file, "mgr with spaces\n");
  expect((await instance.run("ps", ...byToken)).stderr).toContain("is no access token");
});
