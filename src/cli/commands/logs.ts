import { type ConnectionFlags, connectManager } from "../connection.ts";
import { selectProcesses } from "../select.ts";
import { paint } from "../table.ts";

export interface LogsFlags extends ConnectionFlags {
  follow?: boolean;
  lines: number;
}

/** `mgr logs [-f] [-n N] NAME…`: the last lines of output, and with -f what comes after them, without loss or repetition. */
export async function logs(names: string[], flags: LogsFlags): Promise<void> {
  const client = await connectManager(flags);
  try {
    const chosen = selectProcesses((await client.snapshot()).processes, names).map((process) => process.name);
    const prefix = (name: string) => (chosen.length > 1 ? `${paint("cyan", name)} | ` : "");
    const printer = linePrinter(prefix);
    // Subscribed before asking, so that nothing falls between; what the backlog already holds is dropped by offset.
    const pending: { name: string; output: string; offset: number; stream_id: string }[] = [];
    const seen = new Map<string, { offset: number; stream_id: string }>();
    const live = (frame: { name: string; output: string; offset: number; stream_id: string }) => {
      const position = seen.get(frame.name);
      if (position && position.stream_id === frame.stream_id && frame.offset <= position.offset) return;
      printer.write(frame.name, cutSeen(frame, position));
    };
    if (flags.follow) {
      client.frames$.subscribe((frame) => {
        if (frame.type !== "process_output") return;
        if (seen.size < chosen.length) pending.push(frame);
        else live(frame);
      });
      await client.request({ type: "subscribe_process_output", patterns: chosen });
    }
    for (const name of chosen) {
      const frame = await client.request({ type: "get_process_output", name, lines: flags.lines });
      if (frame.type !== "process_output_snapshot") continue;
      printer.write(name, frame.output);
      seen.set(name, { offset: frame.offset, stream_id: frame.stream_id });
    }
    for (const frame of pending) live(frame);
    if (flags.follow) {
      await new Promise<void>((resolve) => {
        client.frames$.subscribe({ complete: resolve });
        process.once("SIGINT", resolve);
      });
    }
    printer.end();
  } finally {
    client.close();
  }
}

/** The part of a live frame that the backlog did not have: offsets count bytes. */
function cutSeen(
  frame: { output: string; offset: number; stream_id: string },
  position: { offset: number; stream_id: string } | undefined,
): string {
  if (!position || position.stream_id !== frame.stream_id) return frame.output;
  const bytes = Buffer.from(frame.output);
  const known = bytes.length - (frame.offset - position.offset);
  return known <= 0 ? frame.output : bytes.subarray(known).toString();
}

/** Output of several processes as whole lines with a prefix; of one process as it comes. */
function linePrinter(prefix: (name: string) => string) {
  const rests = new Map<string, string>();
  return {
    write(name: string, output: string): void {
      if (prefix(name) === "") {
        process.stdout.write(output);
        return;
      }
      const lines = ((rests.get(name) ?? "") + output).split("\n");
      rests.set(name, lines.pop() ?? "");
      for (const line of lines) process.stdout.write(`${prefix(name)}${line.replace(/\r$/, "")}\n`);
    },
    end(): void {
      for (const [name, rest] of rests) if (rest !== "") process.stdout.write(`${prefix(name)}${rest}\n`);
    },
  };
}
