import { visible } from "../../../base/visible-text.ts";
import { ForceRedraw } from "../../../client/handles/force-redraw.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import { OutputJoin } from "../../../client/output-join.ts";
import type { Process } from "../../../protocol/resources/resources.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { whileConnected, withManager } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/connection-target.ts";
import { runsWithin } from "../../manager/select.ts";
import { processIn } from "../../manager/selectors.ts";
import { remark } from "../../output/process-text.ts";
import { type Replayed, replay } from "./replay.ts";

export interface AttachFlags extends ConnectionFlags {
  lines: number;
}

/** Ctrl-]: detaches. */
const LEAVE = 0x1d;
/** Resets modes that a full-screen program may have left on: colours, mouse, bracketed paste, keypad and others, a hidden cursor, its own screen. */
const PLAIN = "\x1b[0m\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1l\x1b>\x1b[?7h\x1b[?25h\x1b[?1047l";

/** `mgr attach NAME`: connects this terminal to the process, until Ctrl-]. Without a terminal, standard input is typed until its end. */
export async function attach(name: string, flags: AttachFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const several = `'${name}' matches more than one process; give the name of one process`;
    const chosen = processIn(await client.snapshot(), [name], several);
    if (runsWithin(chosen))
      throw new CommandFailure(EXIT.usage, `this command runs in the terminal of '${chosen.name}', which cannot be attached to itself`);
    await attachTo(client, chosen, flags.lines);
  });
}

/** Attaches until Ctrl-]; afterwards this terminal is restored. */
export async function attachTo(client: ManagerClient, target: Process, lines: number): Promise<void> {
  const { name } = target;
  const forceRedraw = new ForceRedraw((rowsLess) => sendSize(client, name, rowsLess));
  const output = await followOutput(client, name, { lines, heard: () => forceRedraw.heard() });
  const restoreTerminal = enterRawMode(client, name, forceRedraw);
  let stopKeys = () => {};
  try {
    const past = await replay(output.past(), process);
    if (target.pid === null && process.stdin.isTTY) {
      const why = remark(target, Date.now());
      process.stderr.write(
        `(${visible(`${name} is ${target.state}${why === "" ? "" : `: ${why}`}`)}; its output appears here when it runs)\r\n`,
      );
    }
    const typing = () =>
      new Promise<void>((stop, fail) => {
        stopKeys = typeInto(client, name, { past, stop, fail });
      });
    await whileConnected(client, typing);
  } finally {
    stopKeys();
    restoreTerminal();
    output.leave();
  }
}

/** Prints live output, which is held until `past` was called. */
async function followOutput(
  client: ManagerClient,
  name: string,
  { lines, heard }: { lines: number; heard: () => void },
): Promise<{ past: () => string; leave: () => void }> {
  const join = new OutputJoin();
  // Subscribed before the request, so that nothing is missed in between.
  const subscription = client.output$(name).subscribe((frame) => {
    process.stdout.write(join.live(frame));
    heard();
  });
  const backlog = await client.request({ type: "get_process_output", name, lines });
  return { past: () => join.backlog(backlog), leave: () => subscription.unsubscribe() };
}

/** Sets the size of the process's terminal to that of this one. */
function sendSize(client: ManagerClient, name: string, rowsLess: 0 | 1 = 0): void {
  const { rows, columns } = process.stdout;
  // A size that cannot be sent now is sent with the next change.
  if (rows > 0 && columns > 0)
    client.request({ type: "send_winch", name, rows: Math.max(1, rows - rowsLess), cols: columns }).catch(() => undefined);
}

/** Sets raw mode, and sends the size of this terminal. Returns a function that restores the terminal. */
function enterRawMode(client: ManagerClient, name: string, forceRedraw: ForceRedraw): () => void {
  const { stdin, stdout } = process;
  const resized = () => sendSize(client, name);
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

interface Typing {
  readonly past: Replayed;
  readonly stop: () => void;
  readonly fail: (error: unknown) => void;
}

/** Sends typed input in order, one piece after the other: a process that does not read makes the input wait. */
function typeInto(client: ManagerClient, name: string, { past, stop, fail }: Typing): () => void {
  const { stdin } = process;
  const send = (text: string) => client.process(name).write(text);
  const typed = (data: Buffer) => {
    const end = stdin.isTTY ? data.indexOf(LEAVE) : -1;
    stdin.pause();
    send(past.late(end < 0 ? data : data.subarray(0, end))).then(() => (end < 0 ? stdin.resume() : stop()), fail);
  };
  const ended = () => void send(past.rest()).then(stop, fail);
  stdin.on("data", typed).once("end", ended).pause();
  // Input typed while the past was shown comes first; it may contain the key that detaches.
  const [first = "", ...rest] = past.early.split(String.fromCharCode(LEAVE));
  send(first).then(() => (rest.length === 0 ? stdin.resume() : stop()), fail);
  return () => void stdin.off("data", typed).off("end", ended);
}
