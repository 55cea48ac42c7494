import { readdirSync } from "node:fs";
import { setCloseOnExec } from "../native/libc.ts";

/**
 * Keeps files that our parent process left open from our children: they inherit only what they are given explicitly.
 * For a standalone program only; an embedding program may want its children to have them.
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
