import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageRig, type ShownPage } from "./support/page-rig.ts";
import { ECHO } from "./support/shell.ts";
import { eventually } from "./support/wait.ts";

/** More than the page asks for at first. */
const ENTRIES = 1_200;

let rig: PageRig;
let shown: ShownPage;

beforeAll(async () => {
  rig = await PageRig.up({
    instance: { retained_log_entries: 20_000 },
    groups: { sim: { opened: true } },
    processes: { "sim/after": { command: ECHO, autostart: true }, "sim/other": { command: ECHO } },
  });
  shown = await rig.open("/?process=sim/after");
});
afterAll(() => rig?.[Symbol.asyncDispose]());

test("a manager that is killed is shown as lost, nothing vanishes from the screen, and everything is back when it is", async () => {
  const { instance } = rig;
  const { page } = shown;
  await shown.untilShown("sim/after", /hello/);
  const port = new URL(page.url()).port;
  const configuration = JSON.parse(instance.read("mgr.yaml")) as { instance: Record<string, unknown> };
  configuration.instance.manager = `localhost:${port}`;
  writeFileSync(instance.config, JSON.stringify(configuration));
  instance.kill("manager");
  await page.getByText(/connection lost, trying again/).waitFor();
  expect(await shown.textOf("sim/after")).toMatch(/hello/);
  await instance.mgr("up", "--detach");
  await shown.connected();
  await page.getByLabel("Terminal of sim/after").click();
  // At once, while the backlog may still be on its way: what is typed is not lost.
  await page.keyboard.type("again\n");
  await shown.untilShown("sim/after", /you typed again/);
});

test("a page of an older build reloads itself, once, with its address kept", async () => {
  const { page } = shown;
  const loads: string[] = [];
  page.on("request", (asked) => asked.isNavigationRequest() && loads.push(asked.url()));
  const isFirst = (url: URL) => url.pathname === "/" && !url.searchParams.has("v");
  await page.route(isFirst, async (route) => {
    // The whole page, not that it is the one of the cache.
    const { "if-none-match": _, ...headers } = route.request().headers();
    const answer = await route.fetch({ headers });
    await route.fulfill({ response: answer, body: (await answer.text()).replace(/(mgr-asset-hash" content=")[^"]+/, "$1older") });
  });
  await page.goto(new URL("/?process=sim/after", rig.instance.url).href);
  await page.waitForURL(/[?&]v=/);
  await shown.connected();
  expect(new URL(page.url()).searchParams.get("process")).toBe("sim/after");
  expect(loads).toHaveLength(2);
  await page.unroute(isFirst);
});

test("refusals are told in a toast", async () => {
  const { page } = shown;
  await page.route("**/mgr/logout", (route) => route.fulfill({ status: 503, body: "the manager is shutting down" }));
  await shown.run("Log out");
  await page.getByRole("status").getByText("the manager is shutting down").waitFor();
});

test("a log of thousands of entries is drawn where it is looked at, fetched as it is scrolled back, and searched", async () => {
  // The one of before went with the manager. Starts and stops are entries.
  const client = await rig.instance.connect();
  for (let round = 0; round < ENTRIES / 3; round++) {
    client.send({ type: "start_process", name: "sim/other" });
    client.send({ type: "stop_process", name: "sim/other" });
  }
  const count = async () => ((await client.ask({ type: "request_logs" })).entries as unknown[]).length;
  await eventually("there are enough entries", async () => (await count()) > ENTRIES, 30_000);
  await eventually("it is at rest", async () => (await client.process("sim/other")).state === "stopped");
  await shown.go("/?view=log");
  const { page } = shown;
  const log = page.getByRole("log");
  await log.locator(".entry").first().waitFor();
  const drawn = await log.locator(".entry").count();
  expect(drawn).toBeLessThan(120);
  const height = () => log.evaluate("(element) => element.scrollHeight") as Promise<number>;
  const before = await height();
  await log.focus();
  await page.keyboard.press("Home");
  await eventually("older entries have come", async () => (await height()) > before);
  await eventually("the oldest of all is there", async () => {
    await log.evaluate("(element) => element.scrollTo(0, 0)");
    return (
      /is up|begins|starts|manager/.test((await log.locator(".entry").first().textContent()) ?? "") && (await height()) >= 19 * ENTRIES
    );
  });
  await page.getByLabel("Search the log").fill("requests START of 'sim/other'");
  await eventually("only those that fit are shown", async () =>
    (await log.locator(".entry").allTextContents()).every((entry) => entry.includes("requests start of 'sim/other'")),
  );
  await page.getByRole("button", { name: "Follow the newest entries" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download the log" }).click();
  expect(readFileSync(await (await download).path(), "utf8").split("\n").length).toBeGreaterThan(ENTRIES);
  await log.getByRole("link", { name: "sim/other" }).first().click();
  await page.getByRole("heading", { name: "sim/other" }).waitFor();
});

test("save-all begins a download", async () => {
  const download = shown.page.waitForEvent("download");
  await shown.run("Save all: download an archive for whoever helps");
  expect((await download).suggestedFilename()).toMatch(/\.tar\.bz2$/);
});

test("nothing of all this made the page complain", () => {
  // The one that the page was meant to meet.
  expect(rig.complaints.filter((text) => !/503/.test(text))).toEqual([]);
});
