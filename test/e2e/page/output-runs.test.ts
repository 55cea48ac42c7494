import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PageRig, type ShownPage, soon } from "../support/page-rig.ts";
import { sh } from "../support/shell.ts";

let rig: PageRig;
let shown: ShownPage;

beforeAll(async () => {
  rig = await PageRig.up({
    processes: {
      // The first run lays a file, the second one fails.
      "sim/job": {
        command: sh("echo pid $$$$; printf '\\033[32mgreen\\033[0m\\n'; if [ -e laid ]; then echo laid before; exit 3; fi; touch laid"),
      },
      "sim/cat": { command: sh("stty -echo; cat"), autostart: true },
      "drive/quiet": { command: "sleep 1000" },
    },
  });
  await rig.instance.mgr("start", "sim/job");
  await rig.untilState("sim/job", "stopped");
  await rig.instance.run("start", "sim/job");
  await rig.untilState("sim/job", "error");
  shown = await rig.open("/?runs=sim/job");
});
afterAll(() => rig?.[Symbol.asyncDispose]());

const fetched = async (query: string) => {
  const response = await fetch(new URL(`/mgr/output?${query}`, rig.instance.url), { headers: rig.instance.login });
  return { status: response.status, type: response.headers.get("content-type"), bytes: Buffer.from(await response.arrayBuffer()) };
};

describe("a download of output", () => {
  test("has one run of a process, without colours or as it was written", async () => {
    const { status, bytes } = await fetched("name=sim/job&run=-1");
    expect(status).toBe(200);
    expect(bytes.toString()).toMatch(/^pid \d+\ngreen\n$/);
    const raw = (await fetched("name=sim/job&run=2&format=raw")).bytes.toString();
    expect(raw.replaceAll("\x1b", "ESC")).toMatch(/^pid \d+\r\nESC\[32mgreenESC\[0m\r\nlaid before\r\n$/);
  });

  test("of a group is a zip that Python reads", async () => {
    const { instance } = rig;
    await instance.mgr("save-output", "sim", "sim.zip");
    const script = "import sys,zipfile;z=zipfile.ZipFile(sys.argv[1]);assert z.testzip() is None;print(z.read('sim/sim/job.txt').decode())";
    const text = execFileSync("python3", ["-c", script, join(instance.dir, "sim.zip")], { encoding: "utf8" });
    expect(text).toMatch(/^pid \d+\ngreen\npid \d+\ngreen\nlaid before\n/);
  });

  test("is saved by mgr save-output; mgr runs lists the runs", async () => {
    const { instance } = rig;
    await instance.mgr("save-output", "sim/job", "job.txt", "--run", "2");
    expect(readFileSync(join(instance.dir, "job.txt"), "utf8")).toMatch(/^pid \d+\ngreen\nlaid before\n$/);
    expect(await instance.run("save-output", "sim/job", "--run", "9")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("there is no run 9"),
    });
    const runs = JSON.parse((await instance.mgr("runs", "sim/job", "--json")).stdout) as object[];
    expect(runs).toMatchObject([
      { number: 2, code: 3, cause: "crashed" },
      { number: 1, code: 0, cause: "completed" },
    ]);
  });
});

describe("the runs of a process in the page", () => {
  test("are listed, with the output of the newest one", async () => {
    await soon(() => shown.page.locator(".run-text").textContent()).toMatch(/^pid \d+\ngreen\nlaid before\n$/);
    expect(await shown.page.locator(".run-list tbody tr").allTextContents()).toEqual([
      expect.stringMatching(/^Run 2.*\(crashed\)/),
      expect.stringMatching(/^Run 1.*exit code 0 \(completed\).*started by/),
    ]);
    await shown.page.getByRole("button", { name: "Run 1" }).click();
    await soon(() => shown.page.locator(".run-text").textContent()).toMatch(/^pid \d+\ngreen\n$/);
  });

  test("two of them are compared by their lines; numbers count only if the user wants", async () => {
    for (const number of [1, 2]) await shown.page.getByRole("checkbox", { name: `Compare run ${number}` }).check();
    const status = shown.page.getByRole("status").filter({ hasText: "lines differ" });
    await soon(() => status.textContent()).toBe("1 of 3 lines differ");
    expect(await shown.page.locator(".line-pairs td.differs").allTextContents()).toEqual(["Only in run 2: laid before"]);
    await shown.page.getByRole("checkbox", { name: "Ignore numbers" }).uncheck();
    await soon(() => status.textContent()).toBe("2 of 3 lines differ");
    expect(rig.complaints).toEqual([]);
  });
});

test("a process with output since it was last looked at is marked, until it is looked at", async () => {
  const mark = (name: string) => shown.row(name).getByRole("img", { name: "new output" });
  await shown.go("/?process=drive/quiet");
  await shown.page.locator(".terminal-box .xterm-rows").waitFor();
  // Written again and again: what was there at the first visit counts as seen.
  await soon(async () => {
    rig.client.send({ type: "send_stdin", name: "sim/cat", text: "more\n" });
    return mark("sim/cat").count();
  }).toBe(1);
  // A process that has not written since is not marked.
  expect([await mark("sim/job").count(), await mark("drive/quiet").count()]).toEqual([0, 0]);
  await shown.row("sim/cat").click();
  await soon(() => mark("sim/cat").count()).toBe(0);
});

test("a key and a button scroll the terminal from run to run", async () => {
  await shown.go("/?process=sim/job");
  const rule = shown.page.locator(".run-rule").first();
  await rule.waitFor();
  await shown.page.getByRole("button", { name: "Previous run Ctrl-Shift-↑" }).click();
  await soon(() => shown.page.locator(".terminal-box .xterm-rows").textContent()).toContain("exit code 0 (completed)");
});
