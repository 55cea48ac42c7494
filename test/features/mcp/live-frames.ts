import type { Frame } from "../../e2e/support/client.ts";
import type { Live } from "../../e2e/support/live-frames.ts";

/** The same user asks, and answers. */
export async function mcpLive({ ask, client, process: name }: Live): Promise<void> {
  const from = client.here;
  await ask({ type: "follow_confirmations" });
  await ask({ type: "record_agent_call", tool: "stop_process", name, arguments: { lines: 5 } });
  const answered = ask({ type: "ask_confirmation", name, action: "stop", tool: "stop_process", key: "live" });
  const isAsked = ({ type, confirmations }: Frame) => type === "confirmations" && (confirmations as unknown[]).length > 0;
  const { confirmations } = await client.until("the question", isAsked, from);
  const [{ id, agent }] = confirmations as [{ id: string; agent: string }];
  await ask({ type: "answer_confirmation", name, id, agent, allow: true });
  await answered;
  await ask({ type: "cancel_confirmation", key: "live" });
}
