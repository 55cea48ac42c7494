import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { demo } from "../support/demo.ts";
import type { Instance } from "../support/instance.ts";
import { soon } from "../support/page-rig.ts";
import { type SharedBrowser, sharedBrowser } from "../support/shared-browser.ts";
import { eventually } from "../support/wait.ts";

let instance: Instance;
let client: Client;

beforeAll(async () => {
  instance = await demo();
  client = await instance.connect();
});
afterAll(() => instance?.[Symbol.asyncDispose]());

describe("the demo", () => {
  test("starts: ten processes and more run, and the others are in the states that it demonstrates", async () => {
    const running = [
      "bench/server",
      "bench/workers/alpha",
      "bench/workers/beta",
      "sim/world",
      "sim/sensors/imu",
      "sim/sensors/lidar",
    ].concat(["arm/simulation", "arm/controller", "sim/painter", "tools/shell", "tools/monitor", "tools/clock", "faults/stubborn"]);
    for (const name of running) {
      await eventually(`'${name}' runs`, async () => /^(started|ready)$/.test((await client.process(name)).state));
    }
    await expect.poll(async () => (await client.process("bench/server")).state).toBe("ready");
    await expect.poll(() => client.process("bench/seed")).toMatchObject({ state: "stopped", exit: { code: 0 } });
    expect((await client.process("sim/world")).alternate_commands).toHaveLength(3);
    expect((await client.process("faults/missing")).state).toBe("stopped");
    await eventually("the crasher backs off", async () => (await client.process("faults/crasher")).restarts > 0);
  });

  test("shows the topics of the arm with their rates, and its service", async () => {
    type Shown = { name: string; publisher: string; message_definition: string; published_packets: number; provider: string };
    const topic = async (name: string) =>
      ((await client.ask({ type: "request_topics" })).topics as Shown[]).find((each) => each.name === name);
    const before = await eventually("the arm publishes", () => topic("arm/joint_states"));
    expect(before).toMatchObject({ publisher: "arm/simulation", message_definition: "sensor_msgs/msg/JointState" });
    await eventually(
      "more is published",
      async () => ((await topic("arm/joint_states"))?.published_packets ?? 0) > before.published_packets,
    );
    await eventually("the service is there", async () =>
      ((await client.ask({ type: "request_services" })).services as Shown[]).some(
        ({ name, provider }) => name === "arm/move_to" && provider === "arm/controller",
      ),
    );
  });

  test("has a graphical program, which reports how to get an X server if there is none", async () => {
    await client.command({ type: "start_process", name: "gui/clock" });
    await client.untilState("gui/clock", "started");
    expect(await client.process("gui/clock")).toMatchObject({ x_display_kind: "web", x_display_username: instance.user });
    const script = join(instance.dir, "programs/window.sh");
    const without = spawnSync("/bin/sh", [script], { env: { PATH: "/no/such/folder" }, encoding: "utf8" });
    expect(without.status).toBe(1);
    expect(without.stdout).toMatch(/sudo apt-get install tigervnc-standalone-server openbox x11-apps/);
  });

  test("ends in reverse order and leaves nothing, including the stubborn process", async () => {
    const other = await demo();
    try {
      const watching = await other.connect();
      await eventually("it runs", async () => (await watching.process("bench/workers/alpha")).state === "started");
      await other.mgr("down");
      expect(other.living()).toEqual([]);
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });
});

describe("the page", () => {
  let browser: SharedBrowser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await sharedBrowser();
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      extraHTTPHeaders: instance.login,
    });
    page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await page.goto(instance.url);
  });
  afterAll(() => browser?.close());

  const row = (name: string) => page.locator(`[role=treeitem][data-name="${name}"]`);
  /** What the terminal shows; it writes blanks as no-break spaces. */
  const shown = async () => ((await page.locator(".terminal-box .xterm-rows").textContent()) ?? "").replaceAll("\u00a0", " ");
  const untilShown = (what: string | RegExp) =>
    eventually(`the terminal shows ${String(what)}`, async () =>
      typeof what === "string" ? (await shown()).includes(what) : what.test(await shown()),
    );

  test("logs in with Basic Auth, and shows the tree with states", async () => {
    await page.getByText("connected", { exact: true }).waitFor();
    for (const [name, state] of [
      ["bench", undefined],
      ["bench/server", "ready"],
      ["tools/shell", "started"],
      ["faults/missing", "stopped"],
    ] as const) {
      await row(name).waitFor();
      if (state) await soon(() => row(name).getAttribute("aria-label")).toBe(`${name}, ${state}`);
    }
  });

  test("shows the output of a process that is clicked, and continues live", async () => {
    await row("tools/clock").click();
    const newest = async () => (await shown()).match(/\d\d:\d\d:\d\d/g)?.at(-1);
    const before = await eventually("a time is shown", newest);
    await eventually("a later one is shown", async () => ((await newest()) ?? before) !== before);
  });

  test("types into the terminal, and its size is the process's", async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await row("tools/shell").click();
    await untilShown("demo $");
    await page.locator(".terminal-box").click();
    await page.keyboard.type("echo $((6*7)) and more\n");
    await untilShown("42 and more");

    let asked = Date.now();
    const sizeOf = async () => {
      const answer = new RegExp(`size ${++asked} is (\\d+) (\\d+) here`);
      await page.keyboard.type(`echo size ${asked} is $(stty size) here\n`);
      await untilShown(answer);
      const [, rows, cols] = answer.exec(await shown()) ?? [];
      return { rows: Number(rows), cols: Number(cols) };
    };
    // The terminal may not have been fitted to the window yet.
    const fitted = () =>
      eventually("the process has the size that the page shows", async () => {
        const size = await sizeOf();
        return (await page.locator(".terminal-tools .size").textContent()) === `${size.cols}×${size.rows}` ? size : null;
      });
    const wide = await fitted();
    await page.setViewportSize({ width: 900, height: 600 });
    await page.getByText(new RegExp(`^(?!${wide.cols}×)\\d+×\\d+$`)).waitFor();
    const narrow = await fitted();
    expect(narrow.cols).toBeLessThan(wide.cols);
    expect(narrow.rows).toBeLessThan(wide.rows);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("starts and stops a process, and shows why one has failed", async () => {
    await row("faults/missing").click();
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByText(/Failed: .*no-such-program/).waitFor();
    await soon(() => row("faults/missing").getAttribute("aria-label")).toBe("faults/missing, error");

    await client.command({ type: "start_process", name: "tools/clock" });
    await row("tools/clock").click();
    const stop = client.here;
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await client.untilState("tools/clock", "stopped", stop);
    const start = client.here;
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await client.untilState("tools/clock", "started", start);
  });

  test("shows the manager's log, live", async () => {
    await page.goto(`${instance.url}/?view=log`);
    const log = page.getByRole("log");
    // Only what is on the screen is in the page: the newest entries.
    await client.command({ type: "start_process", name: "faults/missing" });
    await log.getByText("process 'faults/missing' changes state from 'starting' to 'error'").first().waitFor();
    await client.command({ type: "set_process_low_delay_output", name: "faults/missing", enabled: true });
    await log.getByText("'ada' turns low_delay_output of process 'faults/missing' on").waitFor();
  });

  test("has had no error", () => {
    expect(complaints).toEqual([]);
  });
});
