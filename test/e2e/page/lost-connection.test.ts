import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { PageRig, type ShownPage, soon } from "../support/page-rig.ts";
import { ECHO } from "../support/shell.ts";

let rig: PageRig;
let shown: ShownPage;

beforeAll(async () => {
  rig = await PageRig.up({
    // The next managers have the same port. The kernel does not give it to another program.
    instance: { manager: `localhost:${freePort()}` },
    groups: { sim: { opened: true } },
    processes: { "sim/after": { command: ECHO, autostart: true }, "sim/other": { command: ECHO } },
  });
  shown = await rig.open("/?process=sim/after");
});
beforeEach(() => rig.ensureUp());
afterAll(() => rig?.[Symbol.asyncDispose]());

const banner = () => shown.page.getByRole("alert").filter({ hasText: "Disconnected." });

test("a killed manager is shown as lost, nothing disappears from the screen, and everything returns with the next one", async () => {
  const { instance } = rig;
  const { page } = shown;
  await shown.untilShown("sim/after", /hello/);
  instance.kill("manager");
  await page.getByText(/connection lost, trying again/).waitFor();
  expect(await shown.textOf("sim/after")).toMatch(/hello/);
  await banner().waitFor();
  const stop = page.getByRole("button", { name: "Stop", exact: true });
  await soon(() => stop.getAttribute("aria-disabled")).toBe("true");
  expect(await page.getByLabel("Send a signal").getAttribute("aria-disabled")).toBe("true");
  const quick = page.locator('[role=treeitem][data-name="sim/after"] .quick');
  await shown.row("sim/after").hover();
  expect(await quick.getAttribute("title")).toBe("Disconnected");
  await quick.click();
  await shown.row("sim/after").press("x");
  await shown.untilNoticed(/^Disconnected: nothing can be started or stopped\./m);
  expect(await page.getByRole("dialog").count()).toBe(0);
  await instance.mgr("up", "--detach");
  await shown.connected();
  await banner().waitFor({ state: "detached" });
  await soon(() => stop.getAttribute("aria-disabled")).toBeNull();
  await soon(() => page.getByLabel("Send a signal").getAttribute("aria-disabled")).toBeNull();
  await soon(() => quick.getAttribute("title")).toBe("stop sim/after");
  await page.getByLabel("Terminal of sim/after").click();
  // At once, while the backlog may still be on its way: what is typed is not lost.
  await page.keyboard.type("again\n");
  await shown.untilShown("sim/after", /you typed again/);
});

test("a terminal continues also if the page reconnects before the process's host", async () => {
  const { instance } = rig;
  const { page } = shown;
  instance.kill("daemon", "SIGSTOP");
  instance.kill("manager");
  await page.getByText(/connection lost, trying again/).waitFor();
  const up = instance.mgr("up", "--detach");
  // Awaited below.
  up.catch(() => {});
  await shown.connected();
  await page
    .getByText(/host .* is not connected$/)
    .first()
    .waitFor();
  instance.kill("daemon", "SIGCONT");
  await up;
  await page.getByText("host ready").waitFor();
  await page.getByLabel("Terminal of sim/after").click();
  await page.keyboard.type("anew\n");
  await shown.untilShown("sim/after", /you typed again[\s\S]*you typed anew/);
});

test("refusals are shown in a toast", async () => {
  const { page } = shown;
  await page.route("**/mgr/logout", (route) => route.fulfill({ status: 503, body: "the manager is shutting down" }));
  await shown.run("Log out");
  await shown.untilNoticed(/^the manager is shutting down/m);
});

test("a page that is older than the manager's reloads itself, once, and keeps its address", async () => {
  const { page } = await rig.open("/?process=sim/other");
  const documents: string[] = [];
  page.on("request", (request) => request.isNavigationRequest() && documents.push(new URL(request.url()).search));
  // As if an older manager had sent it: the mark is another one before the page's program runs.
  await page.addInitScript(`
    if (!location.search.includes("v=")) new MutationObserver(() => {
      document.querySelector('meta[name="mgr-asset-hash"]')?.setAttribute("content", "an-older-one");
    }).observe(document, { childList: true, subtree: true });
  `);
  await page.reload({ waitUntil: "commit" });
  await page.waitForURL(/[?&]v=/);
  await page.getByLabel("Terminal of sim/other").waitFor();
  const own = await page.locator('meta[name="mgr-asset-hash"]').getAttribute("content");
  expect(documents).toEqual(["?process=sim/other", `?process=sim%2Fother&v=${own}`]);
  await page.close();
});

test("save-all begins a download", async () => {
  const [download] = await Promise.all([shown.page.waitForEvent("download"), shown.run("Download diagnostics archive")]);
  expect(download.suggestedFilename()).toMatch(/\.tar\.bz2$/);
});

test("the page reported no error", () => {
  // The one that the page was meant to meet.
  expect(rig.complaints.filter((text) => !/503/.test(text))).toEqual([]);
});
