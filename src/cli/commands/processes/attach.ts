import { visible } from "../../../base/text/visible-text.ts";
import { ForceRedraw } from "../../../client/handles/force-redraw.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import type { Process } from "../../../protocol/resources/resources.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { reconnectManager, withManager } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/connection-target.ts";
import { runsWithin } from "../../manager/select.ts";
import { processIn } from "../../manager/selectors.ts";
import { remark } from "../../output/process-text.ts";
import { AttachedLink } from "./attach/attached-link.ts";
import { AttachedOutput } from "./attach/attached-output.ts";
import { replay } from "./attach/replay.ts";
import { TypedInput } from "./attach/typed-input.ts";

export interface AttachFlags extends ConnectionFlags {
  lines: number;
}

/** Resets modes that a full-screen program may have left on: colours, mouse, bracketed paste, keypad and others, a hidden cursor, its own screen. */
const PLAIN = "\x1b[0m\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1l\x1b>\x1b[?7h\x1b[?25h\x1b[?1047l";

/**
 * `mgr attach NAME`: connects this terminal to the process, until Ctrl-], also over a restart of the manager. Without a terminal, standard input is
 * typed until its end.
 */
export async function attach(name: string, flags: AttachFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const several = `'${name}' matches more than one process; give the name of one process`;
    const chosen = processIn(await client.snapshot(), [name], several);
    if (runsWithin(chosen))
      throw new CommandFailure(EXIT.usage, `this command runs in the terminal of '${chosen.name}', which cannot be attached to itself`);
    await attachTo(client, chosen, { lines: flags.lines, reconnect: (signal) => reconnectManager(flags, signal) });
  });
}

interface AttachOptions {
  /** Maximum number of lines of past output to show. */
  readonly lines: number;
  /** Opens another connection after `client` was lost; null: attaching ends with the connection. */
  readonly reconnect: ((signal: AbortSignal) => Promise<ManagerClient>) | null;
}

/** Attaches until Ctrl-]; afterwards this terminal is restored. Rejects when the connection ends, or does not come back. */
export async function attachTo(client: ManagerClient, target: Process, { lines, reconnect }: AttachOptions): Promise<void> {
  const { name } = target;
  const link = new AttachedLink(client, { reconnect, note });
  const sendSize = (rowsLess: 0 | 1 = 0) => sendSizeTo(link.client, name, rowsLess);
  const forceRedraw = new ForceRedraw(sendSize);
  const output = new AttachedOutput(name, { heard: () => forceRedraw.heard(), note });
  const past = await output.begin(client, lines);
  const restoreTerminal = enterRawMode(sendSize, forceRedraw);
  let input: TypedInput | null = null;
  try {
    const replayed = await replay(past(), process);
    if (target.pid === null && process.stdin.isTTY) {
      const why = remark(target, Date.now());
      note(`${name} is ${target.state}${why === "" ? "" : `: ${why}`}; its output appears here when it runs`);
    }
    const typed = new TypedInput({ past: replayed, send: (text) => link.client.process(name).write(text), note });
    input = typed;
    await link.follow(typed.sent(), {
      lost: () => typed.hold(),
      back: async (next) => {
        await output.goOn(next);
        if (process.stdout.isTTY) sendSize();
        typed.goOn();
      },
    });
  } finally {
    input?.close();
    restoreTerminal();
    output.leave();
    link.close();
  }
}

/** A remark of this command on the terminal, between the output of the process. */
function note(text: string): void {
  process.stderr.write(`(${visible(text)})${process.stdin.isTTY ? "\r" : ""}\n`);
}

/** Sets the size of the process's terminal to that of this one. */
function sendSizeTo(client: ManagerClient, name: string, rowsLess: 0 | 1): void {
  const { rows, columns } = process.stdout;
  // A size that cannot be sent now is sent with the next change.
  if (rows > 0 && columns > 0)
    client.request({ type: "send_winch", name, rows: Math.max(1, rows - rowsLess), cols: columns }).catch(() => undefined);
}

/** Sets raw mode, and sends the size of this terminal. Returns a function that restores the terminal. */
function enterRawMode(sendSize: () => void, forceRedraw: ForceRedraw): () => void {
  const { stdin, stdout } = process;
  const resized = () => sendSize();
  if (stdout.isTTY) {
    forceRedraw.begin();
    stdout.on("resize", resized);
  }
  if (stdin.isTTY) {
    process.stderr.write("(Ctrl-] detaches)\r\n");
    stdin.setRawMode(true);
  }
  // Node restores a terminal on SIGINT and SIGTERM, but not on SIGHUP.
  const hungUp = () => {
    if (stdin.isTTY) stdin.setRawMode(false);
    process.kill(process.pid, "SIGHUP");
  };
  process.once("SIGHUP", hungUp);
  return () => {
    process.off("SIGHUP", hungUp);
    stdout.off("resize", resized);
    forceRedraw.end();
    if (stdout.isTTY) stdout.write(PLAIN);
    if (stdin.isTTY) {
      stdin.setRawMode(false);
      process.stderr.write("\r\n");
    }
    stdin.pause();
  };
}
