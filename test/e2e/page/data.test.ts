import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeUpNetwork } from "../support/made-up-network.ts";
import { PageRig, type ShownPage, soon } from "../support/page-rig.ts";

/** The arm of the demo: joint states at 200 Hz, gains as parameters, a service. */
const ARM = fileURLToPath(new URL("../../../examples/demo/programs/arm/", import.meta.url));

let rig: PageRig;
let shown: ShownPage;
let page: Page;

beforeAll(async () => {
  rig = await PageRig.up({
    processes: {
      "arm/simulation": { command: ["node", `${ARM}simulation.js`], ready: { regex: "the arm is simulated" }, autostart: true },
      "arm/controller": { command: ["node", `${ARM}controller.js`], ready: { regex: "the controller is ready" }, autostart: true },
    },
  });
  await rig.untilState("arm/controller", "ready");
  shown = await rig.open("/?view=topics");
  ({ page } = shown);
});
afterAll(() => rig?.[Symbol.asyncDispose]());

const row = (key: string) => page.locator(`.data-table tr[data-key="${key}"]`);

describe("topics", () => {
  test("are listed with their rates, and filtered", async () => {
    await row("arm/joint_states").waitFor();
    await soon(async () =>
      Number.parseFloat((await row("arm/joint_states").locator("td.number").first().textContent()) ?? ""),
    ).toBeGreaterThan(0);
    await page.getByLabel("Filter topics").fill("no such topic");
    await page.getByText("No matches.").waitFor();
    await page.getByLabel("Filter topics").fill("joint");
    await row("arm/joint_states").waitFor();
    await page.getByLabel("Filter topics").fill("");
  });

  test("show their newest sample and their definition; a paused sample stays", async () => {
    await page.getByRole("button", { name: "arm/joint_states", exact: true }).click();
    const panel = page.getByRole("complementary", { name: "Topic arm/joint_states" });
    const sample = panel.locator(".sample");
    await soon(() => sample.textContent()).toMatch(/position: \[/);
    const first = await sample.textContent();
    await soon(() => sample.textContent()).not.toBe(first);
    await panel.getByRole("button", { name: "Pause" }).click();
    await panel.getByRole("button", { name: "Resume" }).click();
    await panel.getByText(/float64\[] position/).waitFor();
  });

  test("have fields that are plotted live and saved as CSV", async () => {
    const panel = page.getByRole("complementary", { name: "Topic arm/joint_states" });
    await panel.getByRole("button", { name: "position[0]" }).click();
    await panel.getByRole("button", { name: "position[1]" }).click();
    await panel.getByRole("link", { name: "show 2" }).click();
    await page.locator(".plot-box canvas").waitFor();
    await page.getByRole("button", { name: "arm/joint_states.position[0]" }).waitFor();
    const trace = page.getByRole("button", { name: "arm/joint_states.position[0]" });
    await soon(() => trace.textContent()).toMatch(/-?\d[\d.e-]*$/);
    // The page shows the plot before it is connected.
    await page.reload();
    await soon(() => trace.textContent()).toMatch(/-?\d[\d.e-]*$/);
    // By keys: the pointer stands at a time, and the part around it is shown.
    const box = page.getByRole("img", { name: /^Plot of/ });
    await box.press("ArrowLeft");
    await soon(() => page.locator(".plot-time").textContent()).toMatch(/\d:\d\d/);
    await box.press("+");
    await page.getByRole("button", { name: "Resume" }).click();
    const csv = async () => {
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as CSV" }).click()]);
      return readFileSync(await download.path(), "utf8");
    };
    await soon(async () => (await csv()).trim().split("\n").length).toBeGreaterThan(5);
    const [head, ...rows] = (await csv()).trim().split("\n");
    expect(head).toBe("time,arm/joint_states.position[0],arm/joint_states.position[1]");
    for (const line of rows) expect(line).toMatch(/^\d+(\.\d+)?,-?\d[^,]*,-?\d[^,]*$/);
    await page.getByRole("button", { name: "arm/joint_states.position[1]" }).click();
    await page.getByRole("button", { name: "arm/joint_states.position[0]" }).click();
    await page.getByText("Nothing is plotted.").waitFor();
  });
});

test("a topic is published by a form, once and at a rate, with history; one that a program publishes is refused in words", async () => {
  await page.getByRole("link", { name: /^Topics/ }).click();
  await page.getByRole("button", { name: "Publish…" }).click();
  const panel = page.getByRole("complementary", { name: "Publish a topic" });
  const status = panel.getByRole("status");
  const publish = panel.getByRole("button", { name: "Publish", exact: true });
  await panel.getByLabel("Topic").fill("arm/joint_states");
  await publish.click();
  await soon(() => status.textContent()).toContain("publishes 'arm/joint_states', and a topic has one publisher");
  await rig.client.command({ type: "subscribe_topic", name: "arm/goal" });
  await panel.getByLabel("Topic").fill("arm/goal");
  await panel.getByText("Definition", { exact: true }).click();
  await panel.getByLabel("JSON Schema, or ROS 2 message").fill('{"type": "object", "properties": {"x": {"type": "number"}}}');
  await panel.getByLabel("Message (JSON)").fill('{"x": "far"}');
  await publish.click();
  await soon(() => status.textContent()).toContain("x: expected number");
  const from = rig.client.here;
  await panel.getByLabel("Message (JSON)").fill('{"x": 0.5}');
  await panel.getByLabel("How often").selectOption("20");
  await panel.getByRole("button", { name: "Start", exact: true }).click();
  await soon(() => status.textContent()).toMatch(/^([2-9]|\d\d+) messages published: /);
  const sample = await rig.client.until("a sample", ({ type, name }) => type === "topic_sample" && name === "arm/goal", from);
  expect(sample.value).toEqual({ x: 0.5 });
  await panel.getByRole("button", { name: "Stop", exact: true }).click();
  await row("arm/goal").getByText("@ada").waitFor();
  await panel.locator("section", { hasText: "arm/joint_states" }).getByRole("button", { name: "Use again" }).click();
  expect(await panel.getByLabel("Topic").inputValue()).toBe("arm/joint_states");
  await panel.getByRole("button", { name: "Close" }).click();
});

test("a service is called by a form that its interface fills in, also wrongly", async () => {
  await page.getByRole("link", { name: /^Services/ }).click();
  await page.getByRole("button", { name: "arm/move_to", exact: true }).click();
  const panel = page.getByRole("complementary", { name: "Service arm/move_to" });
  const request = panel.getByLabel("Request (JSON)");
  expect(JSON.parse(await request.inputValue())).toEqual({ position: [0, 0] });
  await request.fill("{");
  await panel.getByText("This is not JSON").waitFor();
  await request.fill('{"position": "left"}');
  await panel.getByRole("button", { name: "Call", exact: true }).click();
  await panel.locator("pre.bad").waitFor();
  await request.fill('{"position": [0.5, -0.25]}');
  await panel.getByRole("button", { name: "Call", exact: true }).click();
  await panel.locator("pre.quoted:not(.bad, .soft)").waitFor();
});

test("a parameter is overridden in place, within its range", async () => {
  await page.getByRole("link", { name: "Parameters" }).click();
  const gain = page.locator('.parameters tr[data-key$=":arm/controller/parameters:stiffness"]');
  await gain.waitFor();
  const value = gain.getByLabel("Value of the override of stiffness");
  await value.fill("-1");
  await gain.locator(".bad").waitFor();
  await value.fill("55");
  await value.press("Enter");
  await soon(() => gain.locator(".value").textContent()).toMatch(/^55(\s|$)/);
  await gain.getByLabel("Override stiffness").click();
  await soon(() => gain.locator(".value").textContent()).not.toMatch(/^55(\s|$)/);
});

describe("the network", () => {
  let network: ShownPage;
  const link = (name: string) => network.page.locator(".row-name", { hasText: name });
  const keys = () =>
    network.page.evaluate("[...document.querySelectorAll('.traffic-table tr[data-key]')].map((row) => row.dataset.key)") as Promise<
      string[]
    >;
  const focused = () => network.page.evaluate("document.activeElement?.closest('tr')?.dataset.key");
  beforeAll(async () => {
    network = await rig.open("/?view=log");
  });
  afterAll(() => network?.close());

  test("has the interfaces of this machine as its kernel counts them, and the connections of the managed programs", async () => {
    await network.run("Network: interfaces");
    const [host = ""] = ((await rig.client.snapshot()).host_list as { name: string }[]).map(({ name }) => name);
    await link(`${host} lo`).waitFor();
    await network.run(`TCP connections of ${host}`);
    const panel = network.page.getByRole("complementary", { name: `TCP connections of ${host}` });
    await panel.getByLabel("Filter connections").fill("arm/controller");
    const { pid } = await rig.client.process("arm/controller");
    await panel
      .getByRole("link", { name: `pid ${pid}` })
      .first()
      .waitFor();
    await panel.press("Escape");
    await panel.waitFor({ state: "detached" });
  });

  test("is not measured while the page is hidden, and without the graph its layout is not loaded", async () => {
    const { page } = network;
    const scripts: string[] = [];
    page.on("request", (request) => scripts.push(request.url()));
    const asked = await makeUpNetwork(page, 20);
    const hide = (isHidden: boolean) =>
      `Object.defineProperty(document, "hidden", { configurable: true, get: () => ${isHidden} }); document.dispatchEvent(new Event("visibilitychange"));`;
    await page.addInitScript(hide(true));
    await page.setViewportSize({ width: 700, height: 800 });
    await network.go("/?view=network");
    await page.getByText("Measuring for 2 s…").waitFor();
    expect(asked).toEqual([]);
    await page.evaluate(hide(false));
    await page.getByRole("button", { name: /^Links/ }).click();
    await link("camera-1 → arm-1").waitFor();
    expect(asked).toContain("request_network_stats");
    expect(scripts.filter((url) => url.includes("graph-layout"))).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 800 });
    await page.locator(".net-node").first().waitFor();
    expect(scripts.some((url) => url.includes("graph-layout"))).toBe(true);
  });

  test("is read by the keyboard: a link opens to its parts, and rows are filtered, hidden and shown again", async () => {
    const { page } = network;
    const filter = page.getByLabel(/^Filter hosts/);
    await filter.fill("camera-1");
    await soon(async () => (await keys()).toSorted()).toEqual(["bench → camera-1", "camera-1 → arm-1", "camera-1 → bench"]);
    await filter.press("ArrowDown");
    await page.keyboard.press("End");
    await soon(focused).toBe("bench → camera-1");
    await page.keyboard.press("ArrowRight");
    await soon(keys).toContain("topic camera-1/goal");
    await page.keyboard.press("ArrowLeft");
    await soon(keys).not.toContain("topic camera-1/goal");
    await page.keyboard.press("h");
    await soon(keys).not.toContain("bench → camera-1");
    await soon(() => network.hasFocus(".traffic-table")).toBe(true);
    await page.getByRole("button", { name: "Show 1 hidden" }).click();
    await soon(keys).toContain("bench → camera-1");
    await filter.fill("no such thing");
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await page.getByRole("button", { name: "Browsers", exact: true }).click();
    await soon(async () => (await keys()).some((key) => key.includes("10.0.0."))).toBe(false);
    await page.getByRole("button", { name: "Browsers", exact: true }).click();
  });

  test("keeps a lost host's values with their age, and its problem leads to the host", async () => {
    const { page } = network;
    await page.getByText(/^warning base-4 does not answer/).click();
    await page.getByRole("button", { name: "Show only base-4" }).click();
    await soon(async () => (await keys()).toSorted()).toEqual(["base-4 → bench", "bench → base-4"]);
    await link("base-4 → bench")
      .getByText(/^\d+ (s|min) old$/)
      .waitFor();
    expect(await page.locator('tr[data-key="base-4 → bench"]').getAttribute("class")).toContain("old");
    await page.getByRole("button", { name: "Show all hosts, not only base-4" }).click();
  });

  test("has a graph whose groups open and fold, and whose nodes the arrow keys reach", async () => {
    const { page } = network;
    const group = (verb: string) => page.getByRole("button", { name: new RegExp(`^${verb} camera 4 members`) });
    const node = (name: string) => page.getByRole("button", { name: new RegExp(`^${name} sends`) });
    await group("Open").press("Enter");
    // It is another button now.
    await soon(() => network.hasFocus(".net-group button")).toBe(true);
    await node("camera-3").focus();
    await page.keyboard.press("ArrowUp");
    await soon(() => network.hasFocus('[data-node="host:camera-2"]')).toBe(true);
    await page.keyboard.press("Enter");
    await soon(async () => (await keys()).every((key) => key.includes("camera-2"))).toBe(true);
    await page.getByRole("button", { name: "Show all hosts, not only camera-2" }).click();
    await group("Fold").click();
    await group("Open").waitFor();
    expect(await node("camera-3").count()).toBe(0);
  });
});

test("no view has to be scrolled sideways on a phone", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const kind of ["Topics", "Services", "Parameters", "Clients", "Plot"]) {
    const link = page.getByRole("navigation", { name: "Data" }).getByRole("link", { name: new RegExp(`^${kind}`) });
    await link.click();
    await soon(() => link.getAttribute("aria-current")).toBe("page");
    // The bar of views is a row that scrolls by itself to the current one.
    const tooWide = `[document.documentElement, ...document.querySelectorAll(".data, .data-table")]
      .filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.className)`;
    expect(await page.evaluate(tooWide), kind).toEqual([]);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("clients name their process, and go with it", async () => {
  await page.getByRole("link", { name: /^Clients/ }).click();
  const controller = page.locator(".data-table tr", { hasText: "arm/controller" }).first();
  await controller.getByRole("link", { name: "arm/controller" }).waitFor();
  await rig.client.command({ type: "stop_process", name: "arm/controller" });
  await controller.waitFor({ state: "detached" });
  expect(rig.complaints).toEqual([]);
});
