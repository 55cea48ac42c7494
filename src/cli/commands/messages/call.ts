import { MgrError } from "../../../base/errors.ts";
import type { ClientFrame } from "../../../protocol/frames/frames.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { withManager } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/connection-target.ts";
import { printJson } from "../../output/table.ts";

/** `mgr call JSON`: sends any frame of the protocol and prints its answer as JSON. */
export async function call(json: string, flags: ConnectionFlags): Promise<void> {
  const frame = parse(json);
  await withManager(flags, async (client) => {
    const answer = await client.request(frame).catch((error: unknown) => {
      if (error instanceof MgrError) printJson({ type: "error", code: error.code, message: error.message });
      throw error;
    });
    printJson(answer);
  });
}

function parse(json: string): ClientFrame {
  try {
    const frame: unknown = JSON.parse(json);
    if (frame !== null && typeof frame === "object" && "type" in frame && typeof frame.type === "string") return frame as ClientFrame;
  } catch (cause) {
    throw new CommandFailure(EXIT.usage, `invalid JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  throw new CommandFailure(EXIT.usage, `a frame is one JSON object with a "type", for example '{"type":"get_snapshot"}'`);
}
