import { readdirSync } from "node:fs";
import { setCloseOnExec } from "../native/libc.ts";

/**
 * Keeps files that the parent process left open from being inherited by children, which get only files that are passed explicitly. For a
 * standalone program only; an embedding program may want its children to have them.
 */
export function keepInheritedFiles(): void {
  for (const name of readdirSync("/proc/self/fd")) {
    const fd = Number(name);
    try {
      if (fd > 2) setCloseOnExec(fd);
    } catch {
      // EBADF: the descriptor that the folder was read with.
    }
  }
}
