// biome-ignore-all lint/suspicious/noThenProperty: it is a key of the configuration.
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageRig, type ShownPage, soon } from "../../support/page-rig.ts";

let rig: PageRig;
let shown: ShownPage;

beforeAll(async () => {
  rig = await PageRig.up({
    processes: {
      "sim/old": {
        command: "sleep 1000",
        autostart: true,
        limits_act: [{ run_time: "1s", then: "notify" }],
        cgroup: { memory_max: "500MiB" },
      },
    },
  });
  await rig.untilState("sim/old", "started");
  shown = await rig.open("/", { viewport: { width: 1440, height: 900 } });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

test("a process that has reached a limit needs attention in the overview and its view, with figure and limit, until it is dismissed", async () => {
  const { page } = shown;
  await page.getByRole("heading", { name: "1 process needs attention." }).waitFor();
  const rows = page.getByRole("list", { name: "Needs attention" }).locator("> li");
  await rows.getByText(/^Run time \d.* s, over 1\.0 s \(since \S+\)$/).waitFor();
  expect(await shown.violations()).toEqual([]);
  await rows.getByRole("link", { name: "sim/old" }).click();
  const view = page.getByRole("region", { name: "Process sim/old" });
  await page.getByRole("button", { name: "Details d" }).click();
  const section = page.locator(".detail-section").filter({ has: page.getByRole("heading", { name: "Limits", exact: true }) });
  await section.getByText(/^Run time \d.* s, over 1\.0 s/).waitFor();
  const [state] = (await rig.client.snapshot()).limits as { cgroup_problem: string | null }[];
  const problem = state?.cgroup_problem ?? null;
  // Where the host may write the cgroup of the run, nothing is wrong with it.
  await soon(() => section.getByText(/^Cgroup: .* cannot be set/).count()).toBe(problem === null ? 0 : 1);
  await view.getByRole("button", { name: "Dismiss the alert of sim/old" }).click();
  await soon(() => section.getByText(/^Run time/).count()).toBe(0);
  await soon(() => page.getByRole("treeitem", { name: /needs attention/ }).count()).toBe(0);
});
