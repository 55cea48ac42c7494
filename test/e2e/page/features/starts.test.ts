import { afterAll, beforeAll, expect, test } from "vitest";
import { PageRig, soon } from "../../support/page-rig.ts";
import { READY_WHEN_TYPED } from "../../support/shell.ts";

const LISTENER = `import socket, time
one = socket.socket()
one.bind(("0.0.0.0", 0))
one.listen()
print("listening", flush=True)
time.sleep(1000)`;

let rig: PageRig;

beforeAll(async () => {
  rig = await PageRig.up({
    processes: {
      "web/db": { command: READY_WHEN_TYPED, ready: { regex: "listening" } },
      "web/api": {
        command: ["/usr/bin/python3", "-c", LISTENER],
        ready: { regex: "listening" },
        depends_on: ["web/db"],
        environment: { MODE: "slow", MY_TOKEN: "hidden" },
      },
      "web/broken": { command: ["./no-such-program"] },
    },
  });
  await rig.instance.mgr("start", "web", "--no-wait");
  await rig.untilState("web/db", "started");
  await rig.untilState("web/broken", "error");
});
afterAll(() => rig?.[Symbol.asyncDispose]());

test("the chart of a group shows what its start waits for, and the critical chain when it is over; rows lead to the processes", async () => {
  const shown = await rig.open("/?group=web");
  const { page } = shown;
  await page.getByRole("button", { name: "Last start" }).click();
  const row = (name: string) => page.locator(`tr[data-key="${name}"]`);
  await row("web/api").locator(".part.waiting").waitFor();
  await page.getByText("under way for").waitFor();
  expect(await row("web/broken").locator(".failed-mark").count()).toBe(1);
  await rig.client.ask({ type: "send_stdin", name: "web/db", text: "go\r" });
  await rig.untilState("web/api", "ready");
  await page.getByText("took").waitFor();
  const chain = page.getByRole("list", { name: "Critical chain" }).getByRole("link");
  await soon(() => chain.allTextContents()).toEqual(["web/db", "web/api"]);
  await row("web/api").locator(".part.until_ready").waitFor();
  expect(await row("web/broken").getAttribute("class")).not.toContain("critical");
  await row("web/db").focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  const focused = await page.evaluate("document.activeElement?.dataset.key");
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: `Process ${focused}` }).waitFor();
  await page.context().close();
});

test("the details of a process show its last start, its ports with links, and what it runs with", async () => {
  await rig.client.ask({ type: "send_stdin", name: "web/db", text: "go\r" });
  await rig.untilState("web/api", "ready");
  const { page } = await rig.open("/?process=web/api");
  const answer = await rig.client.ask({ type: "request_ports", name: "web/api" });
  const processes = answer.processes as { ports: { port: number }[] }[];
  const port = String(processes[0]?.ports[0]?.port);
  const fact = page.locator(".status-line").getByRole("link", { name: port });
  await fact.waitFor();
  expect(await fact.getAttribute("rel")).toContain("noopener");
  expect(await fact.getAttribute("href")).toBe(`http://${new URL(page.url()).hostname}:${port}/`);
  await page.getByRole("button", { name: "Details d" }).click();
  const details = page.getByRole("complementary", { name: "Details of web/api" });
  await details.getByRole("heading", { name: "Last start" }).waitFor();
  await details.getByRole("heading", { name: "Ports" }).waitFor();
  await details.getByRole("button", { name: /^Show all / }).click();
  const variable = details.getByRole("list", { name: "Environment" }).getByRole("listitem").filter({ hasText: "MY_TOKEN" });
  await variable.getByText("***").waitFor();
  expect(await details.textContent()).not.toContain("hidden");
  expect(rig.complaints).toEqual([]);
  await page.context().close();
});

test("commands print the chain, the ports and what a process runs with", async () => {
  await rig.client.ask({ type: "send_stdin", name: "web/db", text: "go\r" });
  await rig.untilState("web/api", "ready");
  const analysis = (await rig.instance.mgr("analyze", "web")).stdout;
  expect(analysis).toMatch(/web\/api @.*\n└─web\/db @/);
  expect(JSON.parse((await rig.instance.mgr("analyze", "--json")).stdout).chain.at(-1).name).toBe("web/api");
  const [listed] = JSON.parse((await rig.instance.mgr("ps", "--ports", "--json", "web/api")).stdout);
  expect((await rig.instance.mgr("ps", "--ports", "web/api")).stdout).toContain(String(listed.ports[0].port));
  expect((await rig.instance.mgr("show", "web/api")).stdout).toMatch(/MODE +slow +as configured/);
  expect(JSON.parse((await rig.instance.mgr("show", "web/api", "--differences", "--json")).stdout).name).toBe("web/api");
});
