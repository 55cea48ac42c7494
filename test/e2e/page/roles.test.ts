import { appendFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Configuration } from "../support/instance.ts";
import { PageRig, soon } from "../support/page-rig.ts";
import { ECHO } from "../support/shell.ts";

// The page of a user who may look at some processes: what is there, what is disabled, and why.

const EVE = { authorization: `Basic ${Buffer.from("eve:let me in 12").toString("base64")}` };

const configuration = (role: string): Configuration => ({
  groups: { sim: { opened: true }, vault: { opened: true } },
  processes: {
    "sim/world": { command: ECHO, autostart: true },
    "vault/keyring": { command: ECHO, autostart: true },
  },
  access: { users: { eve: [{ role, on: "sim/*" }] } },
});

let rig: PageRig;
beforeAll(async () => {
  rig = await PageRig.up(configuration("viewer"));
  appendFileSync(rig.instance.authFile, "eve let me in 12\n");
  await rig.untilState("sim/world", "started");
});
afterAll(() => rig?.[Symbol.asyncDispose]());

test("the page shows a viewer of some processes these only, and disables what the role does not allow until a reload gives another one", async () => {
  const shown = await rig.open("/?process=sim/world", { extraHTTPHeaders: EVE });
  const { page } = shown;
  const stop = page.getByRole("button", { name: "Stop", exact: true }).first();
  await soon(() => stop.getAttribute("title")).toMatch(/^Stopping needs the role operator on 'sim\/world'\.$/);
  expect(await stop.getAttribute("aria-disabled")).toBe("true");
  expect(await page.content()).not.toMatch(/vault|keyring/);
  for (const word of ["Configuration", "Network", "Tasks"])
    expect(await page.getByRole("button", { name: word, exact: true }).count()).toBe(0);
  await page.getByRole("button", { name: "Data", exact: true }).click();
  await soon(() => page.getByRole("button", { name: "Publish…" }).getAttribute("title")).toBe(
    "Publishing needs the role operator on everything.",
  );
  for (const word of [/^Recordings/, /^Loggers/]) expect(await page.getByRole("link", { name: word }).count()).toBe(0);
  await page.goBack();
  await page.locator(".xterm-helper-textarea").first().focus();
  await page.keyboard.type("abc");
  await shown.untilNoticed(/Typing needs the role admin/);
  expect(rig.complaints).toEqual([]);

  rig.instance.write(configuration("operator"));
  expect(await rig.client.ask({ type: "reload_config" })).toMatchObject({ ok: true });
  await soon(() => stop.getAttribute("aria-disabled")).toBeNull();
  await stop.click();
  await rig.untilState("sim/world", "stopped");
  expect((await rig.client.process("vault/keyring")).state).toBe("started");
  await shown.close();
});
