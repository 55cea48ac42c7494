import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { PageRig, type ShownPage, soon } from "../support/page-rig.ts";
import { EXIT_AS_TYPED, sh } from "../support/shell.ts";

let rig: PageRig;
let client: Client;
let shown: ShownPage;
let page: Page;

beforeAll(async () => {
  rig = await PageRig.up({
    groups: { tools: { opened: true } },
    processes: {
      "tools/brief": { command: EXIT_AS_TYPED, autostart: true },
      "tools/full": { command: sh(String.raw`printf 'started\n\033[?1049h\033[2J\033[Hfull screen'; read x; kill -KILL $$$$`) },
    },
  });
  ({ client } = rig);
  shown = await rig.open("/?process=tools/brief");
  ({ page } = shown);
});
afterAll(() => rig?.[Symbol.asyncDispose]());

describe("runs in a terminal", () => {
  const runs = async (name: string) =>
    (await shown.textOf(name)).match(/Run \d+: (exit code \d+|ended by \w+) · [\d.]+ s · \d\d:\d\d:\d\d/g) ?? [];
  const words = async (name: string) => (await runs(name)).map((text) => text.slice(0, text.indexOf(" ·")));

  test("are separated by a rule with number, exit, duration and time, also after a reload", async () => {
    await rig.untilState("tools/brief", "started");
    for (const [index, code] of ["3", "0"].entries()) {
      if (index > 0) await client.command({ type: "start_process", name: "tools/brief" });
      await rig.untilState("tools/brief", "started");
      await client.command({ type: "send_stdin", name: "tools/brief", text: `${code}\n` });
      await soon(() => words("tools/brief")).toHaveLength(index + 1);
    }
    expect(await words("tools/brief")).toEqual(["Run 1: exit code 3", "Run 2: exit code 0"]);
    // Each below what its run has shown: the echo of the code.
    expect(await shown.textOf("tools/brief")).toMatch(/^3\s*Run 1.*0\s*Run 2/s);
    await soon(() => page.locator(".run-rule").count()).toBe(2);
    const live = await shown.textOf("tools/brief");
    await page.reload();
    await soon(() => words("tools/brief")).toHaveLength(2);
    expect(await shown.textOf("tools/brief")).toBe(live);
  });

  test("leave the terminal of the next one as new, however a full-screen program has ended", async () => {
    await shown.goTo("tools/full");
    for (const count of [1, 2]) {
      await client.command({ type: "start_process", name: "tools/full" });
      await rig.untilState("tools/full", "started");
      await shown.untilShown("tools/full", /^full screen\s*$/);
      await client.command({ type: "send_stdin", name: "tools/full", text: "\n" });
      await soon(() => words("tools/full")).toHaveLength(count);
    }
    const ended = /^(started\s*full screen\s*Run \d: ended by SIGKILL · [\d.]+ s · [\d:]+\s*){2}$/;
    expect(await shown.textOf("tools/full")).toMatch(ended);
    await page.reload();
    await shown.untilShown("tools/full", ended);
  });
});

test("nothing went wrong in the page", () => expect(rig.complaints).toEqual([]));
