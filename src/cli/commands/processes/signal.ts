import { didYouMean } from "../../../base/text/suggest.ts";
import { isSignal, SIGNALS, type Signal } from "../../../protocol/process/signals.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { withManager } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/connection-target.ts";
import { processesIn } from "../../manager/selectors.ts";

/** `mgr signal SIGNAL NAME…`: sends a signal to the leaders of running processes. */
export async function signal(word: string, names: string[], flags: ConnectionFlags): Promise<void> {
  const name = signalName(word);
  await withManager(flags, async (client) => {
    const chosen = processesIn(await client.snapshot(), names);
    const outcomes = await Promise.allSettled(
      chosen.map((process) => client.request({ type: "send_signal", name: process.name, signal: name })),
    );
    // All of them are tried; the command ends with the first refusal.
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  });
}

/** Parses a signal name: "hup", "HUP" and "SIGHUP" are the same. */
function signalName(word: string): Signal {
  const upper = word.toUpperCase();
  const name = upper.startsWith("SIG") ? upper : `SIG${upper}`;
  if (!isSignal(name)) {
    const suggestion = didYouMean(
      name.slice("SIG".length),
      SIGNALS.map((each) => each.slice("SIG".length)),
    );
    throw new CommandFailure(EXIT.usage, `unknown signal '${word}'${suggestion || "; use a name such as HUP, SIGUSR1 or RTMIN+3"}`);
  }
  return name;
}
