import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

export async function killed(child: ChildProcess | null): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  // nsenter became the program itself.
  child.kill("SIGKILL");
  await gone;
}

export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has gone by itself.
  }
}

/** Resolves once it says something like `pattern`; rejects when it ends before. */
export async function says(child: ChildProcess, pattern: RegExp): Promise<void> {
  let text = "";
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
        if (pattern.test(text)) resolve();
      });
    }
    child.once("close", (code) => reject(new Error(`it ended with ${code} and never said ${pattern}:\n${text}`)));
  });
}
