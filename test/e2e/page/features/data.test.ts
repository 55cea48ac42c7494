import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeUpNetwork } from "../../support/made-up-network.ts";
import { PageRig, rulesIn, type ShownPage, soon } from "../../support/page-rig.ts";
import { eventually } from "../../support/wait.ts";

/** The arm of the demo: joint states at 200 Hz, gains as parameters, a service. */
const ARM = fileURLToPath(new URL("../../../../examples/demo/programs/arm/", import.meta.url));

/** From one element of a view to another by Tab, more than once around. */
const MAX_STEPS = 250;
/** A download that does not begin is requested again, milliseconds. */
const RETRY_MS = 8_000;

let rig: PageRig;
let shown: ShownPage;
let page: Page;

beforeAll(async () => {
  rig = await PageRig.up({
    processes: {
      "arm/simulation": { command: ["node", `${ARM}simulation.js`], ready: { regex: "the arm is simulated" }, autostart: true },
      "arm/controller": { command: ["node", `${ARM}controller.js`], ready: { regex: "the controller is ready" }, autostart: true },
    },
    store_forward: { topics: ["arm/*"] },
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
    await panel.getByText("Kept while the link of its host is cut. No samples were kept.").waitFor();
  });

  test("have their latency measured by the keyboard on a phone, beside the scheduling of their programs", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await shown.go("/?view=topics");
    const topic = page.getByRole("button", { name: "arm/joint_states", exact: true });
    await topic.press("Enter");
    const panel = page.getByRole("complementary", { name: "Topic arm/joint_states" });
    await panel.getByLabel("Length of the measurement").selectOption("1");
    await panel.getByRole("button", { name: "Measure", exact: true }).press("Enter");
    const steps = panel.getByRole("table", { name: "Latency of arm/joint_states" });
    await steps.getByRole("row", { name: /^arm\/joint_states → broker( \d+(\.\d+)?){4}$/ }).waitFor();
    await panel.getByText(/^[\d,]+ messages in \d+(\.\d+)? s, measured on /).waitFor();
    await panel.getByRole("list", { name: "Messages of arm/joint_states by latency" }).getByRole("listitem").first().waitFor();
    await panel.getByText(/^Worst case: \d+(\.\d+)? ms at \d\d:\d\d:\d\d/).waitFor();
    const tooWide = `[document.documentElement, document.querySelector(".data-panel")].filter((each) => each.scrollWidth > each.clientWidth).length`;
    expect(await page.evaluate(tooWide)).toBe(0);
    expect(await shown.violations()).toEqual([]);
    const thread = panel.getByRole("table", { name: "Threads of arm/simulation" }).getByRole("link").first();
    expect(await thread.getAttribute("href")).toMatch(/^\/mgr\/process-list\?host=.+&pid=\d+&tid=\d+$/);
    await shown.go("/?view=topics");
    await page.getByRole("button", { name: "arm/torque", exact: true }).press("Enter");
    const torques = page.getByRole("complementary", { name: "Topic arm/torque" });
    await torques.getByLabel("Length of the measurement").selectOption("1");
    await torques.getByRole("button", { name: "Measure", exact: true }).press("Enter");
    const chain = "arm/joint_states → arm/torque";
    await torques.getByLabel("Chain").selectOption(chain);
    await torques.getByRole("button", { name: "Measure", exact: true }).press("Enter");
    await torques.getByText(new RegExp(`^[\\d,]+ messages by ${chain} in `)).waitFor();
    await torques.getByRole("table", { name: `Latency of ${chain}` }).waitFor();
    expect(await page.evaluate(tooWide)).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await shown.go("/?view=topics");
    await topic.click();
    await panel.waitFor();
  });

  test("use the height of the window when one is selected", async () => {
    await page.setViewportSize({ width: 1440, height: 1400 });
    const panel = page.getByRole("complementary", { name: "Topic arm/joint_states" });
    await panel.getByText(/float64\[] position/).waitFor();
    const unused = `(() => {
      const panel = document.querySelector(".data-panel");
      return panel.getBoundingClientRect().bottom - panel.lastElementChild.getBoundingClientRect().bottom;
    })()`;
    await soon(() => page.evaluate(unused)).toBeLessThan(40);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("have fields that are plotted live and saved as CSV", async () => {
    const panel = page.getByRole("complementary", { name: "Topic arm/joint_states" });
    await panel.getByRole("button", { name: "position[0]" }).click();
    await panel.getByRole("button", { name: "position[1]" }).click();
    await panel.getByRole("link", { name: "show 2" }).click();
    await page.locator(".plot-box canvas").waitFor();
    await page.getByRole("button", { name: "arm/joint_states.position[0]" }).waitFor();
    const trace = page.getByRole("button", { name: "arm/joint_states.position[0]" });
    await soon(() => trace.textContent()).toMatch(/-?\d[\d.e-]*rad$/);
    // The page shows the plot before it is connected.
    await page.reload();
    await soon(() => trace.textContent()).toMatch(/-?\d[\d.e-]*rad$/);
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
    // A page that shows no data draws nothing beside the pages of the next tests.
    await shown.goInPage("/?view=log");
  });
});

describe("a plot", () => {
  const TRACES = "trace=arm/joint_states:position[0]&trace=arm/joint_states:effort[0]";
  const panels = (of: Page) => of.locator(".plot-box .uplot").count();
  const rowsOf = async (of: Page) => {
    const [download] = await Promise.all([of.waitForEvent("download"), of.getByRole("button", { name: "Save as CSV" }).click()]);
    return readFileSync(await download.path(), "utf8")
      .trim()
      .split("\n")
      .slice(1);
  };
  const timesOf = async (of: Page) => (await rowsOf(of)).map((line) => Number(line.split(",")[0]));

  test("is opened by an address with its fields, window and scale, which follows what the user changes", async () => {
    const { page: other } = await rig.open(`/?view=plot&${TRACES}&seconds=30&scale=stacked`);
    const name = (field: string) => other.getByRole("button", { name: `arm/joint_states.${field}` });
    await name("position[0]").waitFor();
    await name("effort[0]").waitFor();
    expect(await other.getByLabel("Length of the window").inputValue()).toBe("30");
    await soon(() => panels(other)).toBe(2);
    await other.getByLabel("Scale").selectOption("one");
    await soon(() => panels(other)).toBe(1);
    await other.getByLabel("Length of the window").selectOption("60");
    await name("effort[0]").click();
    await soon(() => new URL(other.url()).search).toBe("?view=plot&trace=arm/joint_states:position[0]&seconds=60&scale=one");
    await other.getByRole("link", { name: /^Topics/ }).click();
    await soon(() => new URL(other.url()).search).toBe("?view=topics");
    await other.goBack();
    await soon(() => new URL(other.url()).search).toMatch(/seconds=60/);
    await name("position[0]").waitFor();
    await other.context().close();
  });

  test("begins with the samples of a logger; has gaps where there are no samples, and statistics of the visible part", async () => {
    const topics = [{ name: "arm/joint_states", log_size: 20_000, divisor: 1 }];
    await rig.client.ask({ type: "configure_logger", name: "past", only_ts: false, topics });
    await rig.client.ask({ type: "start_logger", name: "past" });
    await eventually("the logger holds some seconds", async () => {
      const { loggers } = await rig.client.ask({ type: "request_loggers" });
      const [logger] = (loggers as { name: string; topics: { n_samples: number }[] }[]).filter((one) => one.name === "past");
      return (logger?.topics[0]?.n_samples ?? 0) > 600;
    });
    const begin = Date.now() / 1_000;
    const { page: other } = await rig.open(`/?view=plot&${TRACES}&seconds=300`);
    // Older than the page.
    await soon(async () => (await timesOf(other))[0] ?? begin).toBeLessThan(begin - 1);
    const box = await other.locator(".plot-box").boundingBox();
    if (!box) throw new Error("the plot is shown");
    const value = other.getByRole("button", { name: "arm/joint_states.position[0]" }).locator(".trace-value");
    await soon(() => value.textContent()).toMatch(/\d/);
    await other.mouse.move(box.x + 90, box.y + 60);
    await soon(() => value.textContent()).toBe("");
    await soon(() => other.locator(".plot-time").textContent()).toMatch(/^\d\d:\d\d:\d\d\.\d{3}$/);
    await other.getByRole("button", { name: "Statistics" }).click();
    const cells = other.locator(".plot-statistics tbody tr").first().locator("td.number");
    await soon(async () => (await cells.allTextContents()).every((text) => /\d/.test(text))).toBe(true);
    // What is shown once is zoomed by the wheel.
    await other.getByRole("button", { name: "Pause" }).click();
    const whole = await timesOf(other);
    const turnWheel = async (turns: number, by: number) => {
      // At the newest sample.
      await other.mouse.move(box.x + box.width - 26, box.y + box.height - 80);
      for (let turn = 0; turn < turns; turn++) await other.mouse.wheel(0, by);
    };
    const firstAfter = async (turns: number, by: number) => {
      await turnWheel(turns, by);
      return (await timesOf(other))[0];
    };
    await soon(() => firstAfter(1, -300)).toBeGreaterThan(whole[0] ?? 0);
    const zoomed = await timesOf(other);
    expect(zoomed.length).toBeLessThan(whole.length);
    await soon(() => firstAfter(4, 300)).toBe(whole[0]);
    expect(await other.locator(".plot-box").getAttribute("aria-label")).toContain("arm/joint_states.position[0]");
    await rig.client.ask({ type: "stop_logger", name: "past" });
    // Its samples, and the gap after them, would be part of later plots.
    await rig.client.ask({ type: "delete_logger", name: "past" });
    await other.context().close();
  });

  test("has derived series, a trigger and cursors by the keyboard, and is saved as a picture, under a name and in a file", async () => {
    await shown.go("/?view=plot&trace=arm/joint_states:position[0]&trace=arm/joint_states:position[1]&seconds=0.5");
    const difference = "arm/joint_states.position[0] − arm/joint_states.position[1]";
    await page.getByRole("button", { name: "Derive…" }).press("Enter");
    await page.getByRole("dialog", { name: "Derive a series" }).getByRole("button", { name: "Add" }).press("Enter");
    await soon(() => page.getByRole("button", { name: difference }).textContent()).toMatch(/-?\d[\d.e-]*rad$/);
    // On a slow machine, samples come late.
    await soon(async () => (await rowsOf(page)).length).toBeGreaterThan(5);
    await page.getByRole("button", { name: "Pause" }).press("Enter");
    const rows = (await rowsOf(page)).map((line) => line.split(",").map(Number));
    expect(rows.length).toBeGreaterThan(0);
    // The derived value may be one batch behind at the newest rows, which have an empty cell there.
    for (const [, first = 0, second = 0, value = 0] of rows.filter((cells) => cells[3] !== 0)) expect(value).toBeCloseTo(first - second, 9);

    await page.getByRole("button", { name: "Cursors" }).press("Enter");
    await page.getByRole("button", { name: "Statistics" }).press("Enter");
    const samples = page.getByRole("region", { name: "Statistics between the cursors" }).locator("tbody tr").first().locator("td").nth(6);
    await page.getByLabel("Cursor A").press("Home");
    await page.getByLabel("Cursor B").press("End");
    await page.getByText("Δt 0.5 s, 2 Hz").waitFor();
    const all = Number(await samples.textContent());
    expect(all).toBeGreaterThan(1);
    await page.getByLabel("Cursor A").press("End");
    await soon(async () => Number(await samples.textContent())).toBeLessThan(all);

    await page.getByRole("button", { name: "Trigger" }).press("Enter");
    const status = page.getByRole("group", { name: "Trigger" }).getByRole("status");
    await page.getByLabel("Level").fill("-100");
    await page.getByLabel("Level").press("Enter");
    await page.getByLabel("Trigger condition").selectOption("above");
    await soon(() => status.textContent()).toBe("Triggered");
    await page.getByLabel("Trigger mode").selectOption("single");
    await soon(() => status.textContent()).toMatch(/^Captured/);
    await page.getByRole("button", { name: "Resume" }).waitFor();
    expect(await shown.violations()).toEqual([]);

    const [picture] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as PNG" }).click()]);
    const image = readFileSync(await picture.path());
    expect(image.subarray(1, 4).toString("latin1")).toBe("PNG");
    expect(image.readUInt32BE(16)).toBeGreaterThan(300);

    await page.getByRole("button", { name: "Saved plots…" }).press("Enter");
    const saved = page.getByRole("dialog", { name: "Saved plots" });
    await saved.getByLabel("Save the shown plot as").fill("Joints");
    await page.keyboard.press("Enter");
    await saved.getByText("Saved as Joints.").waitFor();
    const [exported] = await Promise.all([page.waitForEvent("download"), saved.getByRole("button", { name: "Export" }).click()]);
    await saved.getByRole("button", { name: "Remove Joints" }).press("Enter");
    await saved.getByText("None yet.").waitFor();
    await saved
      .getByLabel("File of saved plots")
      .setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from("{}") });
    await saved.getByText("Choose a file that was exported here.").waitFor();
    await saved.getByLabel("File of saved plots").setInputFiles(await exported.path());
    await saved.getByText("1 plot imported.").waitFor();
    await page.keyboard.press("Escape");
    for (const name of [difference, "arm/joint_states.position[1]", "arm/joint_states.position[0]"])
      await page.getByRole("button", { name, exact: true }).press("Enter");
    await page.getByText("Nothing is plotted.").waitFor();
    await page.getByRole("button", { name: "Saved plots…" }).press("Enter");
    await saved.getByRole("button", { name: /^Joints/ }).press("Enter");
    await soon(() => status.textContent()).toMatch(/^Captured/);
    const search = new URL(page.url()).search;
    expect(search).toContain("derived=difference,0,arm/joint_states:position[0],arm/joint_states:position[1]");
    expect(search).toContain("trigger=above,-100,20,single,arm/joint_states:position[0]");
    // Later tests find the page as it was, and it draws no plot beside theirs.
    for (const name of ["Trigger", "Statistics", "Cursors"]) await page.getByRole("button", { name, exact: true }).press("Enter");
    await page.getByRole("link", { name: /^Topics/ }).click();
    await page.getByLabel("Filter topics").waitFor();
  });

  test("has the full names of its fields if there is room", async () => {
    const { page: other } = await rig.open(`/?view=plot&${TRACES}`);
    await other.locator(".plot-traces li").nth(1).waitFor();
    const cut = `[...document.querySelectorAll(".plot-traces :is(.trace-topic, .trace-field)")].filter((one) => one.scrollWidth > one.clientWidth).length`;
    expect(await other.evaluate(cut)).toBe(0);
    await other.context().close();
  });
});

test("a plot is zoomed by two fingers and moved by one", async () => {
  const phone = await rig.open("/?view=log", { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true });
  const plot = JSON.stringify([["trace", "arm/joint_states:position[0]"]]);
  await phone.page.evaluate(`localStorage.setItem("mgr.plot", ${JSON.stringify(plot)})`);
  await phone.go("/?view=plot");
  const over = phone.page.locator(".plot-box .u-over");
  await over.waitFor();
  /** The first and the last time of what is in sight. */
  const sight = async () => {
    const save = phone.page.getByRole("button", { name: "Save as CSV" });
    // The page may replace the button while it is pressed.
    const [download] = await Promise.all([phone.page.waitForEvent("download", { timeout: RETRY_MS }), save.click()]);
    const rows = readFileSync(await download.path(), "utf8")
      .trim()
      .split("\n")
      .slice(1);
    const [from = 0, until = 0] = [rows[0], rows.at(-1)].map((line) => Number(line?.split(",")[0]));
    return { from, until };
  };
  const saved = () => eventually("what is in sight is saved", () => sight().catch(() => null));
  const length = ({ from, until }: { from: number; until: number }) => until - from;
  await soon(async () => length(await sight())).toBeGreaterThan(7);
  await over.tap();
  await phone.page.getByRole("button", { name: "Pause" }).click();
  const before = await saved();
  const cdp = await phone.page.context().newCDPSession(phone.page);
  const box = (await over.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", places: readonly number[]) => {
    const touchPoints = places.map((place, id) => ({ id, x: box.x + place * box.width, y: box.y + box.height / 2 }));
    return cdp.send("Input.dispatchTouchEvent", { type, touchPoints });
  };
  const pinch = async () => {
    await touch("touchStart", [0.7, 0.9]);
    await touch("touchMove", [0.5, 0.9]);
    await touch("touchMove", [0.3, 0.9]);
    await touch("touchEnd", []);
    return saved();
  };
  const drag = async () => {
    await touch("touchStart", [0.2]);
    await touch("touchMove", [0.5]);
    await touch("touchMove", [0.8]);
    await touch("touchEnd", []);
    return saved();
  };
  // A browser that is busy may drop a gesture: it is repeated, as a user would.
  const zoomed = await eventually("the plot is zoomed", async () => {
    const shown = await pinch();
    return length(shown) < 5 ? shown : null;
  });
  expect(zoomed.from).toBeGreaterThan(before.from);
  await soon(async () => (await drag()).from).toBeLessThan(zoomed.from - length(zoomed) / 4);
  await phone.page.getByRole("button", { name: "Resume" }).click();
  await phone.close();
});

test("a topic, its plot, a publication, a call and an override are reached by the keyboard", async () => {
  const { page: keyed, ...typist } = await typistAt("/?view=topics");
  await typist.tabTo('[aria-label="Filter topics"]');
  await keyed.keyboard.type("joint_states");
  await typist.tabTo('tr[data-key="arm/joint_states"] .row-name');
  await keyed.keyboard.press("Enter");
  const panel = keyed.getByRole("complementary", { name: "Topic arm/joint_states" });
  await panel.getByRole("button", { name: "position[0]" }).waitFor();
  await typist.tabTo(".field-buttons button");
  await keyed.keyboard.press("Enter");
  await panel.getByRole("link", { name: "show 1" }).waitFor();
  await typist.tabTo('[aria-label="Topic arm/joint_states"] a');
  await keyed.keyboard.press("Enter");
  await keyed.locator(".plot-box canvas").waitFor();
  await typist.tabTo(".plot-box");
  await keyed.keyboard.press("ArrowLeft");
  await soon(() => keyed.locator(".plot-time").textContent()).toMatch(/\d:\d\d/);

  await typist.goTo("Topics");
  await typist.tabTo('[aria-label="Filter topics"]');
  await keyed.keyboard.press("Control+A");
  await keyed.keyboard.press("Delete");
  await typist.tabTo(".data-filter button");
  await keyed.keyboard.press("Enter");
  await typist.tabTo('[placeholder="arm/goal"]');
  await typist.replace("arm/by_keys");
  await typist.tabTo(".call-form textarea");
  await typist.replace('{"x": 1}');
  await keyed.keyboard.press("Control+Enter");
  const form = keyed.getByRole("complementary", { name: "Publish a topic" });
  await form.getByText("Published: no client subscribes to it.").waitFor();

  await typist.goTo("Services");
  await typist.tabTo('tr[data-key="arm/move_to"] .row-name');
  await keyed.keyboard.press("Enter");
  await typist.tabTo(".call-form textarea");
  await typist.replace('{"position": [0.25, 0.25]}');
  await keyed.keyboard.press("Control+Enter");
  await keyed.getByRole("complementary", { name: "Service arm/move_to" }).locator("pre.quoted:not(.bad, .soft)").first().waitFor();

  await typist.goTo("Parameters");
  const gain = keyed.locator('.parameters tr[data-key$=":arm/controller/parameters:stiffness"]');
  await gain.waitFor();
  await typist.tabTo('[aria-label="Value of the override of stiffness"]');
  await typist.replace("60");
  await keyed.keyboard.press("Enter");
  await soon(() => gain.locator(".value").textContent()).toMatch(/^60(\s|$)/);
  await typist.tabTo('[aria-label="Override stiffness"]', "Shift+Tab");
  await keyed.keyboard.press("Space");
  await soon(() => gain.locator(".value").textContent()).not.toMatch(/^60(\s|$)/);

  await typist.goTo("Clients");
  await typist.tabTo('[aria-label="Clients"] tr[data-key] .row-name');
  await keyed.keyboard.press("Enter");
  await keyed.locator("aside.data-panel").waitFor();
  await keyed.context().close();
});

/** A user who has a keyboard only. */
async function typistAt(path: string) {
  const other = await rig.open(path);
  const { page: keyed } = other;
  /** Goes on from key to key until the focus is at the first element of the selector. */
  const tabTo = async (selector: string, key = "Tab") => {
    await keyed.locator(selector).first().waitFor();
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      if (await keyed.evaluate(`document.activeElement === document.querySelector(${JSON.stringify(selector)})`)) return;
      await keyed.keyboard.press(key);
    }
    throw new Error(`'${selector}' is not reached by ${key}`);
  };
  const replace = async (text: string) => {
    await keyed.keyboard.press("Control+A");
    await keyed.keyboard.insertText(text);
  };
  const goTo = async (view: string) => {
    const path = { Topics: "topics", Services: "services", Parameters: "parameters", Clients: "clients" }[view];
    await tabTo(`.data-kinds a[href*="view=${path}"]`);
    await keyed.keyboard.press("Enter");
    await keyed.locator(`.data-kinds a[href*="view=${path}"][aria-current]`).waitFor();
  };
  return { page: keyed, tabTo, replace, goTo };
}

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
  await panel.getByLabel("Rate").selectOption("20");
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

test("a service is called by a form made from its interface, also with wrong values", async () => {
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

test("a preset is saved, compared, loaded and deleted by keyboard, and readable in both themes on a phone", async () => {
  const stiffness = page.locator('.parameters tr[data-key$=":arm/controller/parameters:stiffness"]');
  const override = async (value: string) => {
    await stiffness.getByLabel("Value of the override of stiffness").fill(value);
    await stiffness.getByLabel("Value of the override of stiffness").press("Enter");
    await soon(() => stiffness.locator(".value").textContent()).toMatch(new RegExp(`^${value}(\\s|$)`));
  };
  await override("55");
  await page.getByRole("button", { name: "Presets…" }).press("Enter");
  const list = page.getByRole("dialog", { name: "Presets", exact: true });
  await list.getByText("None yet.").waitFor();
  expect(await shown.hasFocus("[aria-label='Save a preset'] input")).toBe(true);
  await page.keyboard.type("../careful");
  await page.keyboard.press("Enter");
  await list
    .getByRole("status")
    .getByText(/^The name must be 1 to 64 letters/)
    .waitFor();
  await list.getByLabel("Save the overrides now as").fill("careful");
  await list.getByLabel("Description").fill("Slow");
  await page.keyboard.press("Enter");
  await list.getByText("Saved careful: 1 value.").waitFor();
  const careful = list.getByRole("button", { name: /^careful/ });
  expect(await careful.textContent()).toMatch(/Slow · 1 value · .+ UTC$/);
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "hidden" });

  const size = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  await override("60");
  await page.getByRole("button", { name: "Presets…" }).press("Enter");
  await careful.press("Enter");
  const opened = page.getByRole("dialog", { name: "Preset careful" });
  await soon(() => opened.getByRole("row", { name: /stiffness/ }).textContent()).toMatch(/6055changes$/);
  for (const theme of ["dark", "light"] as const) {
    await shown.turn(theme);
    expect({ theme, violations: await shown.violations(rulesIn(theme)) }).toEqual({ theme, violations: [] });
    // The whole table is in sight.
    const overflowing =
      "[...document.querySelectorAll('dialog, .preset-differences')].filter((each) => each.scrollWidth > each.clientWidth).length";
    expect(await page.evaluate(overflowing)).toBe(0);
  }
  await opened.getByRole("button", { name: "Load", exact: true }).press("Enter");
  await list.getByText("Loaded careful: 1 override changed, 0 unchanged.").waitFor();
  expect(await shown.hasFocus("[data-preset=careful]")).toBe(true);
  await soon(() => stiffness.locator(".value").textContent()).toMatch(/^55(\s|$)/);

  await list.getByRole("button", { name: "Delete careful" }).press("Enter");
  await page.getByRole("dialog", { name: "Delete preset careful?" }).getByRole("button", { name: "Delete" }).press("Enter");
  await list.getByText("Deleted careful.").waitFor();
  await list.getByText("None yet.").waitFor();
  expect(await shown.hasFocus("dialog")).toBe(true);
  await page.keyboard.press("Escape");
  if (size !== null) await page.setViewportSize(size);
  await stiffness.getByLabel("Override stiffness").click();
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

  test("is read by the keyboard: a link expands to its parts, and rows are filtered, hidden and shown again", async () => {
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
    await page.keyboard.press("Delete");
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

  test("shows no links of a lost host, whose problem leads to the host, with the age of the last report", async () => {
    const { page } = network;
    await page.getByText(/^warning base-4 does not answer/).click();
    await page.getByRole("button", { name: "Show only base-4" }).click();
    await soon(keys).toEqual([]);
    await page.getByRole("button", { name: "Show all hosts, not only base-4" }).click();
  });

  test("has a graph whose groups expand and collapse, and whose nodes are reached by arrow keys", async () => {
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

test("clients show their process, and are removed with it", async () => {
  await page.getByRole("link", { name: /^Clients/ }).click();
  const controller = page.locator(".data-table tr", { hasText: "arm/controller" }).first();
  await controller.getByRole("link", { name: "arm/controller" }).waitFor();
  await rig.client.command({ type: "stop_process", name: "arm/controller" });
  await controller.waitFor({ state: "detached" });
  expect(rig.complaints).toEqual([]);
});
