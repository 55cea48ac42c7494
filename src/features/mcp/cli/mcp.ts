import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { whileConnected, withManagerUntilInterrupted } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { VERSION } from "../../../http/package-files.ts";
import { createMcpServer, createQuestions, mayChangeWith } from "../client/server.ts";

/** `mgr mcp`: serves the manager to an agent on standard input and output, until the agent closes its end. */
export async function mcp(flags: ConnectionFlags): Promise<void> {
  await withManagerUntilInterrupted(flags, async (client) => {
    const { access } = await client.snapshot();
    const mayChange = access !== undefined && mayChangeWith(access);
    const questions = createQuestions();
    const server = serveStdio(() => createMcpServer({ client, version: VERSION, mayChange, questions }));
    try {
      await whileConnected(client, () => new Promise<void>((resolve) => process.stdin.once("close", resolve).once("end", resolve)));
    } finally {
      await server.close();
    }
  });
}
