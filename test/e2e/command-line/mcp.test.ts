import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, test } from "vitest";
import { Instance, PROGRAM } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";

test("an agent starts `mgr mcp` and reads; with an access token it changes what a person confirms; it ends with its input, and with its manager", async () => {
  await using instance = await Instance.up({ processes: { "sim/world": { command: "sleep 100000", autostart: true } } });
  const made = await instance.run("token", "create", "agent", "--role", "operator", "-c", instance.config);
  const token = /mgr_[\w-]{43}/.exec(made.stdout)?.[0] ?? "";
  const tokenFile = join(instance.dir, "agent.token");
  writeFileSync(tokenFile, token, { mode: 0o600 });
  const asked: string[] = [];
  const connect = async (environment: Record<string, string>, canAsk = true) => {
    const client = new Client({ name: "agent", version: "1" }, { capabilities: canAsk ? { elicitation: {} } : {} });
    if (canAsk)
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
  // The library waits for its end for a few seconds only.
  await eventually("it has ended", () => !isThere(reader.pid));

  const operator = await connect({ MGR_TOKEN: token });
  const stopped = await operator.client.callTool({ name: "stop_process", arguments: { name: "sim/world" } });
  expect(JSON.stringify(stopped.content)).toContain("stopped");
  expect(asked).toEqual([expect.stringContaining("Stop 'sim/world'")]);
  await instance.mgr("start", "sim/world");

  // A program that cannot ask its user: a person answers on the command line, and an access token cannot.
  const person = await instance.connect();
  await person.ask({ type: "follow_confirmations" });
  const silent = await connect({ MGR_TOKEN: token }, false);
  const from = person.here;
  const call = silent.client.callTool({ name: "restart_process", arguments: { name: "sim/world" } });
  await person.until("the question", ({ confirmations }) => Array.isArray(confirmations) && confirmations.length > 0, from);
  const [question] = JSON.parse((await instance.run("agent", "questions", "--json", "-c", instance.config)).stdout) as { id: string }[];
  const id = question?.id.slice(0, 8) ?? "";
  const followed = instance.start("agent", "questions", "--follow", "-c", instance.config);
  await eventually("the question is printed", () =>
    followed.stdout.includes(`token:agent asks to restart sim/world on ${hostname()}: mgr agent allow ${id}`),
  );
  expect(await instance.run("agent", "allow", id, "--token-file", tokenFile, "-c", instance.config)).toMatchObject({ code: 3 });
  expect(await instance.run("agent", "allow", id, "-c", instance.config)).toMatchObject({ code: 0 });
  expect(JSON.stringify((await call).content)).toContain("started");
  expect((await instance.run("agent", "refuse", id, "-c", instance.config)).stderr).toContain("no open question has the id");
  const { entries } = await person.ask({ type: "request_audit" });
  const recorded = (entries as { user: string; command: string; target: string | null; args: object }[]).map(
    ({ user, command, target, args }) => ({ user, command, target, args }),
  );
  const { user } = recorded.find(({ command }) => command === "answer_confirmation") ?? expect.fail("the answer is not recorded");
  expect(user).not.toBe("token:agent");
  expect(recorded).toEqual(
    expect.arrayContaining([
      { user, command: "answer_confirmation", target: "sim/world", args: { id: question?.id, agent: "token:agent", allow: true } },
      { user, command: "record_agent_call", target: null, args: { tool: "list_processes", arguments: { limit: 100 } } },
      { user: "token:agent", command: "record_agent_call", target: "sim/world", args: { tool: "restart_process", arguments: {} } },
      expect.objectContaining({ user: "token:agent", command: "restart_process", target: "sim/world" }),
    ]),
  );
  const ended = new Promise<void>((resolve) => {
    operator.client.onclose = resolve;
  });
  expect((await instance.run("down", "-c", instance.config)).code).toBe(0);
  await ended;
});
