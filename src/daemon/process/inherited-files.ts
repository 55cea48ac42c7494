import { readdirSync } from "node:fs";
import { setCloseOnExec } from "../native/libc.ts";

/**
 * Keeps files that whoever started us left open from our children: they get what they are given, and nothing else.
 * For a program of our own only; an embedding program may mean its children to have them.
 */
export function keepInheritedFiles(): void {
  for (const name of readdirSync("/proc/self/fd")) {
    const fd = Number(name);
    try {
      if (fd > 2) setCloseOnExec(fd);
    } catch {
      // EBADF: the descriptor with which the folder was read.
    }
  }
}
