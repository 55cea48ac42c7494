import { createRequire } from "node:module";
import { MgrError, messageOf } from "../../base/errors.ts";

// A bundler does not rewrite require() of a created require.
const require = createRequire(import.meta.url);

/** The two native calls of node-pty that are used here. */
export interface PtyBinding {
  open(cols: number, rows: number): { master: number; slave: number; pty: string };
  resize(fd: number, cols: number, rows: number): void;
}

let loaded: PtyBinding | null = null;

/**
 * Loads the binding once; the daemon does so at its start, because replacing node_modules must not break a running daemon.
 *
 * It is the prebuilt binary of `@lydell/node-pty`, which is installed under the name `node-pty`. The original package under that name works
 * too: it is compiled when it is installed, for machines that no prebuilt binary fits.
 */
export function ptyBinding(): PtyBinding {
  loaded ??= load();
  return loaded;
}

function load(): PtyBinding {
  try {
    const compiled = (require("node-pty") as { native?: PtyBinding }).native;
    if (compiled !== undefined) return compiled;
    const { requireBinary } = require("node-pty/requireBinary.js") as { requireBinary(file: string): PtyBinding };
    return requireBinary("pty.node");
  } catch (error) {
    const [reason] = messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error).split("\n");
    throw new MgrError(
      "internal",
      `The native part of node-pty cannot be loaded: ${reason}. ` +
        "On Linux with glibc 2.28 or later, x64 or arm64, 'npm ci' installs a prebuilt one (not with --omit=optional). " +
        "On other machines install a C++ compiler, make and Python 3 (Debian: build-essential python3), " +
        "then run 'npm install --no-save node-pty@1.1.0' in the folder of mgr.",
      { cause: error },
    );
  }
}
