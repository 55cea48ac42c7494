import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { PageRig, soon } from "../../support/page-rig.ts";

test("the page asks its user what an agent may end, in both themes and on a phone, and says so when the question is gone", async () => {
  await using rig = await PageRig.up({ processes: { "sim/world": { command: "sleep 1000", autostart: true } } });
  await rig.untilState("sim/world", "started");
  const { pid } = await rig.client.process("sim/world");
  const { secret } = await rig.client.ask({ type: "create_access_token", name: "agent", role: "operator" });
  const agent = new Client({ name: "agent", version: "1" });
  const requestInit = { headers: { Authorization: `Bearer ${secret}` } };
  await agent.connect(new StreamableHTTPClientTransport(new URL("/mgr/mcp", rig.instance.url), { requestInit }));
  const stop = async (signal?: AbortSignal) => {
    const { content } = await agent.callTool({ name: "stop_process", arguments: { name: "sim/world" } }, signal ? { signal } : {});
    return JSON.stringify(content);
  };

  const shown = await rig.open("/", { colorScheme: "light" });
  const { page } = shown;
  const button = page.getByRole("banner").getByRole("button", { name: "1 question" });
  await page.getByText("connected", { exact: true }).waitFor();
  const refused = stop();
  await page.getByRole("status").getByText("token:agent asks to stop sim/world").waitFor();
  await button.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Questions of agents" });
  await dialog.getByText(`token:agent asks to stop sim/world on`, { exact: false }).waitFor();
  await dialog.getByText(/^Tool stop_process, asked \d+s ago, refused in \dm \d+s without an answer\.$/).waitFor();
  expect(await shown.violations()).toEqual([]);
  await dialog.getByRole("button", { name: "Refuse to stop sim/world" }).click();
  expect(await refused).toContain("refused it");
  await dialog.getByText("No agent waits for an answer.").waitFor();
  await page.keyboard.press("Escape");
  await soon(() => button.count()).toBe(0);
  expect((await rig.client.process("sim/world")).pid).toBe(pid);

  // A phone, in the dark theme.
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 390, height: 800 });
  const allowed = stop();
  await button.click();
  expect(await shown.violations()).toEqual([]);
  await dialog.getByRole("button", { name: "Allow to stop sim/world" }).click();
  expect(await allowed).toContain("stopped");
  await agent.close();
});
