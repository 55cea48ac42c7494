import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLIENT, TestProvider } from "../../../features/oidc/test-provider.ts";
import { PageRig, ShownPage, soon } from "../../support/page-rig.ts";
import { ECHO } from "../../support/shell.ts";

const PROCESSES = { processes: { "tools/echo": { command: ECHO }, "vault/keyring": { command: ECHO } } };

let rig: PageRig;
let provider: TestProvider;

beforeAll(async () => {
  rig = await PageRig.up(PROCESSES);
  const { origin, port } = new URL(rig.instance.url);
  provider = await TestProvider.start(`${origin}/mgr/oidc/callback`);
  writeFileSync(join(rig.instance.dir, "oidc.secret"), CLIENT.secret, { mode: 0o600 });
  const oidc = {
    issuer: provider.issuer,
    client_id: CLIENT.id,
    client_secret: { file: "oidc.secret" },
    url: origin,
    name: "Lab account",
    scopes: ["openid", "profile", "groups"],
    groups: { crew: [{ role: "operator", on: "tools/*" }] },
  };
  // The provider is told the manager's port, which is known once it is up.
  rig.instance.write({ instance: { manager: `localhost:${port}`, oidc }, ...PROCESSES });
  await rig.instance.mgr("reload");
});
afterAll(async () => {
  await rig?.[Symbol.asyncDispose]();
  await provider?.stop();
});

async function visitor(path: string): Promise<{ page: Page; shown: ShownPage }> {
  const context = await rig.browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(new URL(path, rig.instance.url).href);
  return { page, shown: new ShownPage(page, rig.instance) };
}

describe("the button of an OpenID provider on the login page", () => {
  test("logs the user in with the roles of the groups, shows the page that was asked for, and the log-out ends it", async () => {
    provider.account = { subject: "17", claims: { preferred_username: "ann", groups: ["crew"] } };
    const { page, shown } = await visitor("/?group=tools");
    expect(await shown.violations()).toEqual([]);
    await page.getByRole("link", { name: "Log in with Lab account" }).click();
    await page.getByRole("heading", { name: "tools" }).waitFor();
    expect(new URL(page.url()).search).toBe("?group=tools");
    expect(await page.locator("meta[name=mgr-user]").getAttribute("content")).toBe("oidc:ann");
    const audited = await rig.instance.mgr("audit", "--user", "oidc:ann", "--json");
    expect(audited.stdout).toContain('"log_in"');
    const { stdout } = await rig.instance.mgr("log", "--lines", "1000");
    expect(stdout).toContain("web user 'oidc:ann' (subject \"17\") logged in");
    for (const text of [stdout, (await rig.instance.mgr("check")).stdout]) expect(text).not.toContain(CLIENT.secret);
    await page.request.post(new URL("/mgr/logout", rig.instance.url).href, { headers: { origin: new URL(rig.instance.url).origin } });
    await page.reload();
    await page.getByRole("link", { name: "Log in with Lab account" }).waitFor();
    await page.context().close();
  });

  test("leads to a page that says why a login fails, and back to the form", async () => {
    provider.account = { subject: "18", claims: { preferred_username: "eve", groups: ["guests"] } };
    const { page, shown } = await visitor("/");
    await page.getByRole("link", { name: "Log in with Lab account" }).click();
    await page.getByRole("alert").getByText("Lab account knows you as 'eve', but none of your groups has a role here.").waitFor();
    expect(await shown.violations()).toEqual([]);
    await page.getByRole("link", { name: "Back to the login" }).click();
    const { user, password } = rig.instance;
    await page.getByLabel("User").fill(user);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Log in" }).click();
    await soon(() => page.locator("meta[name=mgr-user]").getAttribute("content")).toBe(user);
    await page.context().close();
  });
});
