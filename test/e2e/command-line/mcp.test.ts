import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, test } from "vitest";
import { Instance, PROGRAM } from "../support/instance.ts";

test("an agent starts `mgr mcp` and reads; with an access token it changes what a person confirms; it ends with its input, and with its manager", async () => {
  await using instance = await Instance.up({ processes: { "sim/world": { command: "sleep 100000", autostart: true } } });
  const made = await instance.run("token", "create", "agent", "--role", "operator", "-c", instance.config);
  const token = /mgr_[\w-]{43}/.exec(made.stdout)?.[0] ?? "";
  const asked: string[] = [];
  const connect = async (environment: Record<string, string>) => {
    const client = new Client({ name: "agent", version: "1" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { confirm: true } };
    });
    const args = [PROGRAM, "mcp", "-c", instance.config];
    const env = { ...(instance.environment as Record<string, string>), ...environment };
    const transport = new StdioClientTransport({ command: process.execPath, args, env });
    await client.connect(transport);
    return { client, pid: transport.pid ?? 0 };
  };
  const names = async ({ client }: { client: Client }) => (await client.listTools()).tools.map(({ name }) => name);
  const isThere = (pid: number) => instance.living().some((each) => each.pid === pid);

  const reader = await connect({});
  expect(await names(reader)).not.toContain("stop_process");
  const { content } = await reader.client.callTool({ name: "list_processes", arguments: {} });
  expect(JSON.stringify(content)).toContain("sim/world");
  expect(isThere(reader.pid)).toBe(true);
  await reader.client.close();
  expect(isThere(reader.pid)).toBe(false);

  const operator = await connect({ MGR_TOKEN: token });
  const stopped = await operator.client.callTool({ name: "stop_process", arguments: { name: "sim/world" } });
  expect(JSON.stringify(stopped.content)).toContain("stopped");
  expect(asked).toEqual([expect.stringContaining("Stop 'sim/world'")]);
  const ended = new Promise<void>((resolve) => {
    operator.client.onclose = resolve;
  });
  expect((await instance.run("down", "-c", instance.config)).code).toBe(0);
  await ended;
});
