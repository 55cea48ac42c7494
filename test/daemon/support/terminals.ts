import { Terminal, type TerminalExit, type TerminalOptions } from "../../../src/daemon/output/terminal.ts";

export const childEnvironment = { PATH: process.env.PATH ?? "", TERM: "xterm-256color" };

export interface Recording {
  terminal: Terminal;
  /** Everything so far, as text. */
  text(): string;
  bytes(): number;
  /** Settles at the exit with how many bytes had come before it. */
  exit: Promise<TerminalExit & { bytesBefore: number }>;
  /** Resolves with the text once it matches. */
  until(pattern: RegExp): Promise<string>;
}

/** A real child under a real terminal, and all that it writes. */
export async function record(argv: string[], options: Partial<TerminalOptions> = {}): Promise<Recording> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const waiting = new Set<() => void>();
  const text = () => Buffer.concat(chunks).toString();
  let exited: (exit: TerminalExit & { bytesBefore: number }) => void = () => {};
  const exit = new Promise<TerminalExit & { bytesBefore: number }>((resolve) => {
    exited = resolve;
  });
  const terminal = await Terminal.start({
    argv,
    cwd: "/",
    environment: childEnvironment,
    rows: 24,
    cols: 80,
    onData: (data) => {
      chunks.push(Buffer.from(data));
      bytes += data.length;
      for (const check of waiting) check();
    },
    onExit: (outcome) => exited({ ...outcome, bytesBefore: bytes }),
    ...options,
  });
  const until = (pattern: RegExp) =>
    new Promise<string>((resolve) => {
      const check = () => {
        if (!pattern.test(text())) return;
        waiting.delete(check);
        resolve(text());
      };
      waiting.add(check);
      check();
    });
  return { terminal, text, bytes: () => bytes, exit, until };
}

export const shell = (line: string): string[] => ["/bin/sh", "-c", line];
