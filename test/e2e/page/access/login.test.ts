import { afterAll, beforeAll, describe, test } from "vitest";
import { PageRig, soon } from "../../support/page-rig.ts";
import { ECHO } from "../../support/shell.ts";

let rig: PageRig;

beforeAll(async () => {
  rig = await PageRig.up({
    groups: { tools: { opened: true } },
    processes: {
      "tools/echo": { command: ECHO, autostart: true },
    },
  });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

describe("without a login", () => {
  test("the page asks for a login, reports what is wrong, and shows who is logged in until the log-out", async () => {
    const context = await rig.browser.newContext({ viewport: { width: 1280, height: 800 } });
    const own = await context.newPage();
    await own.goto(new URL("/?group=tools", rig.instance.url).href);
    const { user, password } = rig.instance;
    await own.getByLabel("User").fill(user);
    await own.getByLabel("Password").fill("wrong");
    await own.getByRole("button", { name: "Log in" }).click();
    await own.getByText("Unknown user or wrong password.").waitFor();
    await own.getByLabel("Password").fill(password);
    await own.getByLabel("Password").press("Enter");
    await own.getByRole("heading", { name: "tools" }).waitFor();
    await soon(() => own.locator(".status .user").textContent()).toContain(user);
    await own.getByRole("button", { name: "Log out" }).click();
    await own.getByRole("button", { name: "Log in" }).waitFor();
    await context.close();
  });
});
