import { afterAll, beforeAll, expect, test } from "vitest";
import { PageRig } from "../support/page-rig.ts";

let rig: PageRig;
const ready = (seconds: number) => ({ command: ["/bin/sh", "-c", `sleep ${seconds}; echo up; exec sleep 1000`], ready: { regex: "up" } });
beforeAll(async () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`many/p${i}`, { ...ready(0.05 * (i % 5)), ...(i % 3 === 0 ? { depends_on: ["robot/bus"] } : {}) }]));
  rig = await PageRig.up({
    processes: {
      "robot/bus": ready(0.4),
      "robot/driver/camera": { ...ready(0.9), depends_on: ["robot/bus"] },
      "robot/driver/lidar": { ...ready(0.2), depends_on: ["robot/bus"] },
      "robot/driver/arm_controller_with_a_long_name": { ...ready(0.6), depends_on: ["robot/bus"] },
      "robot/perception": { ...ready(1.3), depends_on: ["robot/driver/camera", "robot/driver/lidar"] },
      "robot/planner": { ...ready(0.5), depends_on: ["robot/perception", "robot/driver/arm_controller_with_a_long_name"] },
      "robot/broken": { command: ["./no-such-program"] },
      "robot/ui": { command: "sleep 1000", depends_on: ["robot/planner"] },
      ...many,
    },
  });
  await rig.instance.mgr("start", "*", "--no-wait");
  await rig.untilState("robot/ui", "started");
});
afterAll(() => rig?.[Symbol.asyncDispose]());
test("shots", async () => {
  console.log((await rig.instance.mgr("analyze", "robot")).stdout);
  for (const [device, viewport] of [["desktop", { width: 1440, height: 900 }], ["phone", { width: 390, height: 844 }]] as const) {
    const shown = await rig.open("/?start=robot", { viewport });
    for (const theme of ["dark", "light"] as const) {
      await shown.turn(theme);
      for (const path of ["/?start=robot", "/?view=starts", "/?process=robot/planner"]) {
        await shown.go(path);
        if (path.includes("process")) {
          const button = shown.page.getByRole("button", { name: "Details d" });
          if ((await button.getAttribute("aria-pressed")) !== "true") await button.click();
          await shown.page.getByRole("heading", { name: "Last start" }).scrollIntoViewIfNeeded();
        } else await shown.page.locator("tr[data-key]").first().waitFor();
        await shown.page.waitForTimeout(700);
        await shown.page.screenshot({ path: `/tmp/starts-shots/${path.replace(/\W+/g, "_")}-${device}-${theme}.png` });
      }
    }
    await shown.page.context().close();
  }
  expect(rig.complaints).toEqual([]);
});
