import { StringDecoder } from "node:string_decoder";
import type { ManagerClient } from "../../client/index.ts";
import { OutputJoin } from "../../client/output-join.ts";
import { type ConnectionFlags, connectManager, whileConnected } from "../connection.ts";
import { CommandFailure, EXIT } from "../exit-codes.ts";
import { selectProcesses } from "../select.ts";

export interface AttachFlags extends ConnectionFlags {
  lines: number;
}

/** Ctrl-]: leaves. */
const LEAVE = 0x1d;
/** Characters of one `send_stdin`: at most four bytes each, of 64 KiB. */
const PIECE = 16_384;

/** `mgr attach NAME`: this terminal becomes the process's, until Ctrl-]. Without a terminal, what comes in is typed until its end. */
export async function attach(name: string, flags: AttachFlags): Promise<void> {
  const client = await connectManager(flags);
  try {
    const [chosen, ...others] = selectProcesses((await client.snapshot()).processes, [name]);
    if (chosen === undefined || others.length > 0)
      throw new CommandFailure(EXIT.usage, `'${name}' is more than one process; attach takes the name of one`);
    await showOutput(client, chosen.name, flags.lines);
    const leaveTerminal = takeTerminal(client, chosen.name);
    try {
      await whileConnected(client, (stop, fail) => typeInto(client, chosen.name, { stop, fail }));
    } finally {
      leaveTerminal();
    }
  } finally {
    client.close();
  }
}

async function showOutput(client: ManagerClient, name: string, lines: number): Promise<void> {
  const join = new OutputJoin();
  // Subscribed before asking, so that nothing falls between.
  client.frames$.subscribe((frame) => {
    if (frame.type === "process_output" && frame.name === name) process.stdout.write(join.live(frame));
  });
  await client.request({ type: "subscribe_process_output", patterns: [name] });
  const backlog = await client.request({ type: "get_process_output", name, lines });
  if (backlog.type === "process_output_snapshot") process.stdout.write(join.backlog(backlog));
}

/** Raw mode, and the size of this terminal for that one. Returns the way back. */
function takeTerminal(client: ManagerClient, name: string): () => void {
  const { stdin, stdout } = process;
  const tell = (rows: number) => {
    // A size that cannot be told now is told with the next change.
    if (rows > 0 && stdout.columns > 0) client.request({ type: "send_winch", name, rows, cols: stdout.columns }).catch(() => undefined);
  };
  const resized = () => tell(stdout.rows);
  if (stdout.isTTY) {
    // Another size and back: a full-screen program then draws itself anew (runtime.md, "Frames out").
    tell(stdout.rows - 1);
    resized();
    stdout.on("resize", resized);
  }
  if (stdin.isTTY) {
    process.stderr.write("(Ctrl-] leaves)\r\n");
    stdin.setRawMode(true);
  }
  return () => {
    stdout.off("resize", resized);
    if (stdin.isTTY) {
      stdin.setRawMode(false);
      process.stderr.write("\r\n");
    }
    stdin.pause();
  };
}

/** Sends what is typed in order, one piece after the other: a process that does not read makes the typing wait. */
function typeInto(client: ManagerClient, name: string, { stop, fail }: { stop: () => void; fail: (error: unknown) => void }): void {
  const { stdin } = process;
  const decoder = new StringDecoder("utf8");
  const send = async (text: string) => {
    for (let start = 0; start < text.length; start += PIECE)
      await client.request({ type: "send_stdin", name, text: text.slice(start, start + PIECE) });
  };
  stdin.on("data", (data: Buffer) => {
    const end = stdin.isTTY ? data.indexOf(LEAVE) : -1;
    stdin.pause();
    send(decoder.write(end < 0 ? data : data.subarray(0, end))).then(() => (end < 0 ? stdin.resume() : stop()), fail);
  });
  stdin.once("end", stop);
  stdin.resume();
}
