import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Incident } from "../../src/features/flight/wire.ts";
import type { Recording } from "../../src/features/recordings/wire.ts";
import type { Client } from "../../test/e2e/support/client.ts";
import type { Instance } from "../../test/e2e/support/instance.ts";
import { makeUpNetwork } from "../../test/e2e/support/made-up-network.ts";
import { eventually } from "../../test/e2e/support/wait.ts";

export interface Scene {
  readonly name: string;
  readonly path: string;
  /** Before the page is loaded. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** Brings the page into the state to be shown. */
  readonly set?: (page: Page, on: { instance: Instance; device: string }) => Promise<void>;
}

/** Scenes that need the same state of the demo. */
interface Act {
  readonly prepare: (instance: Instance) => Promise<void>;
  readonly scenes: Scene[];
}

/** The terminal has something to show. */
async function terminal(page: Page): Promise<void> {
  const rows = page.locator(".terminal-box .xterm-rows").first();
  await eventually("the terminal shows something", async () => /\S/.test((await rows.textContent()) ?? ""));
  // A full-screen program has drawn itself anew for this size by then.
  await page.waitForTimeout(800);
}

async function details(page: Page): Promise<void> {
  await terminal(page);
  await page.getByRole("button", { name: "Details d" }).click();
  await page.locator(".details .runs").waitFor();
}

async function editor(page: Page): Promise<void> {
  await page.locator(".cm-content").waitFor();
  await page.locator(".cm-line").first().waitFor();
}

/** Types into the configuration, at its end. */
async function type(page: Page, text: string): Promise<void> {
  await editor(page);
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(text);
  await page.waitForTimeout(600);
}

async function palette(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Control+Shift+K");
  await page.getByRole("dialog", { name: "Command palette" }).waitFor();
  await page.keyboard.type(text);
}

async function topic(page: Page): Promise<void> {
  await page.getByRole("button", { name: "arm/joint_states", exact: true }).click();
  await page.locator(".data-panel .sample").waitFor();
}

async function plot(page: Page): Promise<void> {
  await topic(page);
  for (const field of ["position[0]", "position[1]"]) await page.getByRole("button", { name: field }).click();
  await page.getByRole("link", { name: "show 2" }).click();
  await page.locator(".plot-box canvas").waitFor();
  // The window of the plot fills.
  await page.waitForTimeout(9_000);
}

async function recording(page: Page): Promise<void> {
  await page.getByRole("button", { name: "main", exact: true }).click();
  await page.getByRole("complementary", { name: "Recording main" }).getByText("Being written").waitFor();
}

/** A file that is complete, with two traces. */
async function recordedPlot(page: Page, { instance, device }: { instance: Instance; device: string }): Promise<void> {
  const client = await instance.connect();
  const shown = async () => {
    const { recordings } = await client.ask({ type: "request_recordings" });
    return (recordings as Recording[]).find(({ name }) => name === "swing");
  };
  if ((await shown()) === undefined) {
    await client.ask({ type: "start_recording", name: "swing", topics: ["arm/*"], min_free_space: 0 });
    await eventually("it has something", async () => ((await shown())?.messages ?? 0) > 2_000);
    await client.ask({ type: "stop_recording", name: "swing" });
  }
  const [file] = (await shown())?.files ?? [];
  client.ws.close();
  await page.goto(new URL(`/?recording=swing&host=${file?.host}&file=${file?.file}`, instance.url).href);
  const topic = page.locator(".recorded-topics summary", { hasText: "arm/joint_states" });
  await topic.click();
  for (const field of ["position[0]", "position[1]"]) await page.getByRole("button", { name: field }).click();
  if (device === "phone") await topic.click();
  await page.locator(".plot-box canvas").waitFor();
  await page.waitForTimeout(600);
}

/** Switches the flight recorder on, and lets the simulation of the arm crash when the ring has something. */
async function crashOfArm(instance: Instance): Promise<void> {
  const file = JSON.parse(instance.read("mgr.yaml")) as object;
  const crash = { on: "crash", processes: ["arm/*"], before: "15s", after: "4s" };
  writeFileSync(instance.config, JSON.stringify({ ...file, flight: { triggers: { crash } } }));
  await instance.mgr("reload");
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  const client = await instance.connect();
  process.kill(Number((await client.process("arm/simulation")).pid), "SIGSEGV");
  await eventually("the incident is complete", async () => (await crashes(client)).some(({ state }) => state === "complete"), 60_000);
  client.ws.close();
}

async function crashes(client: Client): Promise<Incident[]> {
  const { incidents } = await client.ask({ type: "request_incidents" });
  return (incidents as Incident[]).filter(({ triggers }) => triggers.some(({ text }) => text.startsWith("arm/simulation")));
}

/** The incident about the simulation of the arm, with two of its joints, shortly before the crash. */
async function incident(page: Page, { instance }: { instance: Instance }): Promise<void> {
  const client = await instance.connect();
  const [{ id, time } = { id: "", time: "" }] = await crashes(client);
  client.ws.close();
  const part = { incident: id, moment: String(Date.parse(`${time}Z`) - 1_500), terminal: "arm/summary" };
  const traces = ["position[0]", "position[1]"].map((field): [string, string] => ["field", `arm/joint_states:${field}`]);
  await page.goto(new URL(`/?${new URLSearchParams([...Object.entries(part), ...traces])}`, instance.url).href);
  await page.locator(".plot-box canvas").waitFor();
  await page.locator(".still-terminal .xterm-rows").waitFor();
  // The plot is at the lower edge, with the rows above it.
  await page.evaluate(`{
    const body = document.querySelector(".incident-body");
    const plot = document.querySelector(".plot-panels");
    body.scrollTop += plot.getBoundingClientRect().bottom - body.getBoundingClientRect().bottom;
  }`);
  await page.waitForTimeout(600);
}

const restarting = async (instance: Instance) => {
  const client = await instance.connect();
  await client.command({ type: "start_process", name: "faults/crasher" });
  await client.command({ type: "start_process", name: "faults/missing" });
  await eventually("something restarts", async () => (await client.process("faults/crasher")).restarts > 2, 60_000);
  client.ws.close();
};

/** Sparklines have something to show. */
async function sparklines(page: Page): Promise<void> {
  await page.getByLabel("Sampling interval").selectOption("every second");
  await page.waitForTimeout(20_000);
}

/** The network of a made-up fleet: tables with the graph beside them where there is room, and the graph alone. */
function networkScenes(hosts: number): Scene[] {
  const measured = (page: Page) => page.locator(".traffic-table tr[data-key]").first().waitFor();
  const before = (page: Page) => makeUpNetwork(page, hosts);
  return [
    {
      name: `network-table-${hosts}`,
      path: "/?view=network",
      before,
      set: async (page, { device }) => {
        await measured(page);
        // The camera of the fleet of three hosts does not answer.
        const link = hosts === 3 ? / → arm-1/ : /^camera-0?1 → arm-0?1/;
        await page.locator(".row-name", { hasText: link }).first().click();
        await sparklines(page);
        if (device === "desktop") await page.locator(".net-node").first().waitFor();
      },
    },
    {
      name: `network-graph-${hosts}`,
      path: "/?view=network",
      before,
      set: async (page) => {
        await measured(page);
        await page.getByRole("button", { name: "Graph", exact: true }).click();
        await page.locator(".net-node").first().waitFor();
      },
    },
  ];
}

export const ACTS: Act[] = [
  {
    prepare: async (instance) => {
      const client = await instance.connect();
      await client.command({ type: "stop_group", name: "faults" });
      await client.command({ type: "start_process", name: "tools/editor" });
      for (const name of ["faults/crasher", "faults/stubborn"]) {
        await eventually(`${name} is stopped`, async () => (await client.process(name)).state === "stopped");
      }
      await eventually("the workers work", async () => (await client.process("bench/workers/alpha")).state === "started");
      client.ws.close();
    },
    scenes: [
      { name: "overview-good", path: "/" },
      { name: "topics", path: "/?view=topics", set: topic },
      { name: "plot", path: "/?view=topics", set: plot },
      ...[3, 20, 60].flatMap(networkScenes),
      {
        name: "network-tcp",
        path: "/?view=network",
        before: (page) => makeUpNetwork(page, 20),
        set: async (page) => {
          await page.getByRole("button", { name: /^Hosts/ }).click();
          await page.getByRole("button", { name: "TCP connections of arm-1" }).click();
          await page.locator(".tcp-list li").first().waitFor();
        },
      },
      {
        name: "network-interfaces",
        path: "/?view=network",
        before: (page) => makeUpNetwork(page, 20),
        set: async (page) => {
          await page.getByRole("button", { name: /^Interfaces/ }).click();
          await page.locator(".traffic-table tr[data-key]").first().waitFor();
          await sparklines(page);
        },
      },
      { name: "recordings", path: "/?view=recordings", set: recording },
      {
        name: "recording-form",
        path: "/?view=recordings",
        set: async (page) => {
          await page.getByRole("button", { name: "Record…" }).click();
          await page.getByRole("checkbox", { name: /^arm\/joint_states/ }).check();
        },
      },
      { name: "recorded-plot", path: "/?view=recordings", set: recordedPlot },
      {
        name: "loggers",
        path: "/?view=loggers",
        set: async (page) => {
          await page.getByRole("button", { name: "arm", exact: true }).click();
          await page.getByRole("complementary", { name: "Logger arm" }).waitFor();
        },
      },
      {
        name: "logger-form",
        path: "/?view=loggers",
        set: async (page) => {
          await page.getByRole("button", { name: "New logger…" }).click();
          await page.getByRole("checkbox", { name: /^arm\/joint_states/ }).check();
        },
      },
      { name: "parameters", path: "/?view=parameters", set: (page) => page.locator(".parameters tr[data-key]").first().waitFor() },
      { name: "process", path: "/?process=sim/painter", set: terminal },
      { name: "full-screen", path: "/?process=tools/monitor", set: terminal },
      {
        name: "vim",
        path: "/?process=tools/editor",
        set: async (page) => {
          await terminal(page);
          const first = page.locator(".xterm-rows > div").first();
          await eventually("the file's first line is the first", async () => /^\/\/|^import/.test((await first.textContent()) ?? ""));
        },
      },
      { name: "details", path: "/?process=sim/world", set: details },
      { name: "starts", path: "/?view=starts", set: (page) => page.locator(".starts-chart tr[data-key]").first().waitFor() },
      ...["sim/world", "sim"].map((name) => ({
        name: `history-${name.replace("/", "-")}`,
        path: `/?history=processes&of=${name}&range=10min`,
        set: (page: Page) => page.locator(".history-plot canvas").first().waitFor(),
      })),
      {
        name: "terminal-search",
        path: "/?process=bench/server",
        set: async (page) => {
          await terminal(page);
          await page.getByRole("button", { name: "Search Ctrl-Shift-F" }).click();
          await page.keyboard.type("listening");
        },
      },
      {
        name: "paste",
        path: "/?process=tools/shell",
        set: async (page) => {
          await terminal(page);
          await page.evaluate(`{
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", "cd /srv/bench\\nmake clean\\nmake -j4 install\\n");
            document.querySelector(".xterm-helper-textarea").dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
          }`);
          await page.getByRole("dialog", { name: "Paste 3 lines?" }).waitFor();
        },
      },
      {
        name: "splits",
        path: "/?process=tools/monitor",
        set: async (page, { device }) => {
          await terminal(page);
          if (device === "phone") return;
          for (const [name, split] of [
            ["sim/sensors/imu", "Split right"],
            ["bench/server", "Split down"],
          ] as const) {
            await palette(page, split);
            await page.keyboard.press("Enter");
            await page.locator(`[role=treeitem][data-name="${name}"]`).click();
            await page.waitForTimeout(600);
          }
        },
      },
      { name: "window", path: "/?process=sim/painter&window=1", set: terminal },
    ],
  },
  {
    prepare: async (instance) => {
      const client = await instance.connect();
      for (const name of ["gui/clock", "gui/terminal"]) await client.command({ type: "start_process", name });
      for (const name of ["gui/clock", "gui/terminal"])
        await eventually(`${name} runs`, async () => (await client.process(name)).state === "started");
      client.ws.close();
    },
    scenes: [
      {
        name: "display",
        path: "/?view=display",
        set: async (page, { device }) => {
          const canvas = page.locator(".display.open canvas");
          await canvas.waitFor();
          // The display takes the size of the window in which it is used.
          if (device === "desktop") await canvas.click({ position: { x: 20, y: 20 } });
          // Programs have drawn themselves by then.
          await page.waitForTimeout(1_500);
        },
      },
    ],
  },
  {
    prepare: restarting,
    scenes: [
      {
        name: "notifications",
        path: "/?view=notifications",
        set: async (page) => {
          await page.getByLabel("Process, group, host or pattern").fill("gui");
          await page.getByRole("button", { name: "Silence", exact: true }).click();
          await page.getByRole("list", { name: "Silences" }).waitFor();
          await page.getByRole("list", { name: "History" }).locator("li").first().waitFor();
        },
      },
      { name: "overview-failing", path: "/" },
      { name: "all", path: "/?view=all" },
      { name: "group-table", path: "/?group=faults" },
      {
        name: "group-terminals",
        path: "/?group=sim",
        set: async (page) => {
          await page.getByRole("button", { name: "Show as terminals" }).click();
          await terminal(page);
        },
      },
      { name: "error", path: "/?process=faults/missing" },
      {
        name: "backoff",
        path: "/?process=faults/crasher",
        set: async (page) => {
          await page
            .getByText(/restarts in/)
            .first()
            .waitFor({ timeout: 40_000 });
          await terminal(page);
        },
      },
      { name: "log", path: "/?view=log" },
      {
        name: "audit",
        path: "/?view=audit",
        set: async (page) => {
          await page.locator("button.row-name").nth(1).click();
        },
      },
      {
        name: "log-search",
        path: "/?view=log",
        set: async (page) => {
          await page.getByLabel("Minimum level").selectOption("warning");
          await page.getByLabel("Search the log").fill("crasher");
        },
      },
      {
        name: "palette",
        path: "/?process=sim/world",
        set: async (page) => {
          await terminal(page);
          await palette(page, "");
        },
      },
      {
        name: "settings",
        path: "/?process=sim/world",
        set: async (page, { device }) => {
          await terminal(page);
          if (device === "phone") {
            await page.getByRole("button", { name: "More", exact: true }).click();
            await page.getByRole("button", { name: "Settings", exact: true }).click();
          } else await page.getByRole("button", { name: "Settings ," }).click();
        },
      },
      {
        name: "tasks",
        path: "/mgr/process-list",
        set: async (page) => {
          await page.getByRole("button", { name: "Managed only" }).click();
          await page.getByText(/^\d+ processes$/).waitFor();
          await eventually("only the managed ones", async () => (await page.locator("tr[data-key]").count()) < 20);
        },
      },
      {
        name: "tasks-threads",
        path: "/?process=bench/server",
        set: async (page) => {
          await terminal(page);
          await page.getByRole("button", { name: "Processes and threads" }).click();
          await page.getByRole("complementary", { name: /^Task/ }).waitFor();
        },
      },
      { name: "palette-search", path: "/", set: (page) => palette(page, "stop wor") },
      {
        name: "shortcuts",
        path: "/",
        set: async (page) => {
          await palette(page, "keyboard sh");
          await page.keyboard.press("Enter");
        },
      },
      {
        name: "tree",
        path: "/",
        set: async (page, { device }) => {
          if (device === "phone") await page.getByRole("button", { name: "Processes", exact: true }).click();
          await page.getByLabel(/^Filter processes/).fill("is:trouble");
          await page.waitForTimeout(300);
        },
      },
      {
        name: "tree-menu",
        path: "/",
        set: async (page, { device }) => {
          if (device === "phone") await page.getByRole("button", { name: "Processes", exact: true }).click();
          await page.waitForTimeout(300);
          await page.locator('[role=treeitem][data-name="sim/world"]').click({ button: "right" });
          await page.getByRole("menu", { name: "Actions of sim/world" }).waitFor();
        },
      },
    ],
  },
  {
    prepare: crashOfArm,
    scenes: [
      { name: "incidents", path: "/?view=incidents", set: async (page) => page.locator(".data-table tbody tr").first().waitFor() },
      { name: "incident", path: "/?view=incidents", set: incident },
    ],
  },
  {
    prepare: async (instance) => {
      const client = await instance.connect();
      await client.command({ type: "stop_group", name: "faults" });
      client.ws.close();
      useYaml(instance);
      await instance.mgr("reload");
      // What runs is what the file says: a plan names what changes from here on.
      await instance.mgr("restart", "bench", "sim", "tools");
    },
    scenes: [
      {
        name: "details-environment",
        path: "/?process=bench/workers/alpha",
        set: async (page) => {
          await details(page);
          await page.getByRole("button", { name: "Show commands" }).click();
          await page.getByRole("heading", { name: "Environment" }).evaluate((heading) => heading.scrollIntoView());
        },
      },
      {
        name: "config",
        path: "/?view=config",
        set: (page) => type(page, "\n  tools/watch:\n    command: ls --color\n    autostrat: true\n"),
      },
      {
        name: "config-completion",
        path: "/?view=config",
        set: async (page) => {
          await type(page, "\n  tools/watch:\n    command: ls\n    ");
          await page.keyboard.type("re");
          await page.locator(".cm-tooltip-autocomplete").waitFor();
        },
      },
      {
        name: "config-compare",
        path: "/?view=config",
        set: async (page) => {
          await type(page, "\n  tools/watch:\n    command: ls --color\n");
          await page.getByRole("button", { name: "Compare" }).click();
          await page.waitForTimeout(400);
        },
      },
      {
        name: "config-conflict",
        path: "/?view=config",
        set: async (page, { instance }) => {
          await type(page, "\n  tools/mine:\n    command: ls --color\n");
          const before = instance.read("mgr.yaml");
          writeFileSync(instance.config, before.replace("# A small test bench", "# The test bench"));
          await page.getByRole("button", { name: "Save" }).click();
          await page.getByRole("dialog").waitFor();
          writeFileSync(instance.config, before);
        },
      },
      {
        name: "plan",
        path: "/?view=config",
        set: async (page, { instance }) => {
          await editor(page);
          const before = instance.read("mgr.yaml");
          writeFileSync(
            instance.config,
            before
              .replace("world.js --rate 2", "world.js --rate 4")
              .replace("  tools/clock:", "  tools/watch:")
              .replace("worker.js beta 1700", "worker.js beta 900"),
          );
          await page.getByRole("button", { name: "Reload preview" }).click();
          await page.getByRole("dialog").waitFor();
          writeFileSync(instance.config, before);
        },
      },
      {
        name: "config-versions",
        path: "/?view=config",
        set: async (page) => {
          await type(page, "\n# Checked on the bench.\n");
          await page.getByRole("button", { name: "Save" }).click();
          await page.locator(".file-state").getByText("saved", { exact: true }).waitFor();
          await page.getByRole("button", { name: "Versions" }).click();
          await page.locator(".versions li").first().waitFor();
        },
      },
    ],
  },
  {
    prepare: async () => {},
    scenes: [
      {
        name: "access",
        path: "/?view=access",
        set: async (page) => {
          const name = `wall-${randomUUID().slice(0, 4)}`;
          await page
            .getByRole("button", { name: /Create a link|New link/ })
            .first()
            .click();
          const form = page.getByRole("complementary", { name: "New link" });
          await form.getByLabel("Name").fill(name);
          await form.getByLabel("Processes", { exact: true }).fill("sim/* vision/*");
          await form.getByRole("button", { name: "Create", exact: true }).click();
          await page.getByLabel("Link", { exact: true }).waitFor();
        },
      },
      {
        name: "access-form",
        path: "/?view=access",
        set: async (page) =>
          page
            .getByRole("button", { name: /Create a link|New link/ })
            .first()
            .click(),
      },
    ],
  },
  {
    prepare: withHosts,
    scenes: [{ name: "overview-hosts", path: "/" }],
  },
  {
    prepare: async () => {},
    scenes: [
      {
        name: "disconnected",
        path: "/?process=sim/world",
        set: async (page, { instance }) => {
          await terminal(page);
          instance.kill("manager");
          await page.getByText(/connection lost/).waitFor();
          await page.waitForTimeout(300);
          await page.context().setOffline(true);
          await instance.mgr("up", "--detach");
        },
      },
    ],
  },
];

/** Other machines: one whose daemon is there (beside the manager's, here), two that are lost. */
async function withHosts(instance: Instance): Promise<void> {
  const names = ["arm", "base", "camera"];
  for (const name of names) writeFileSync(join(instance.dir, `${name}.token`), `${randomUUID()}${randomUUID()}\n`, { mode: 0o600 });
  const hosts = names.map((name) => `  ${name}: { token_file: ${name}.token }`).join("\n");
  writeFileSync(instance.config, `${instance.read("mgr.yaml")}\nhosts:\n${hosts}\n`);
  await instance.mgr("reload");
  const bus = instance.url.replace(/^http/, "ws");
  const own = ["--token-file", join(instance.dir, "arm.token"), "--state-dir", join(instance.dir, "state-arm"), "--cwd", instance.dir];
  instance.start("daemon", "--host", "arm", "--bus", bus, ...own);
  const client = await instance.connect();
  await eventually("the host is there", async () =>
    ((await client.snapshot()).host_list as { name: string; daemon_ready: boolean }[]).some(
      (host) => host.name === "arm" && host.daemon_ready,
    ),
  );
  client.ws.close();
}

/** The demo's file as people write it; the instance has been started from the same as JSON. */
function useYaml(instance: Instance): void {
  const text = readFileSync(new URL("../../examples/demo/mgr.yaml", import.meta.url), "utf8")
    .replace(/localhost:[^"]*/, "localhost:0")
    .replace("worker.js alpha 1000\n", "worker.js alpha 1000\n    environment: { SAMPLES: /srv/samples, VALUES: 20 }\n");
  writeFileSync(
    instance.config,
    `${text}\n  tools/editor:\n    command: vi programs/server.js\n    environment: { TERM: xterm-256color }\n`,
  );
}
