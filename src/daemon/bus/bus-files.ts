import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readJsonState } from "../../files/json-state-file.ts";
import { replaceFileSync } from "../../files/replace-file.ts";
import { newToken } from "./run-tokens.ts";

const STATE = "bus.json";
const ADDRESS = "bus.url";

const savedState = z.object({ port: z.int().min(0).max(65_535), token: z.string().min(32) });

/** State that the broker of a host keeps across restarts of its daemon. */
export interface BusState {
  /** The broker's port; 0: none was assigned yet. */
  readonly port: number;
  /** Token of programs that read `bus.url`. */
  readonly token: string;
}

/** The files that hold the broker's state and address. */
export interface BusFiles {
  /** `warn` is called with the reason why programs need the new address from `bus.url`. */
  read(warn: (msg: string) => void): BusState;
  /** Saves the state, and the address for programs of this machine. Called once the broker listens. */
  keep(state: BusState, url: string): void;
  /** Rewrites the files that are missing. */
  check(): void;
  /** Removes the address. Called when the broker no longer listens. */
  forget(): void;
  /** Path of `bus.url`; null: there is none. */
  readonly urlFile: string | null;
}

/** `bus.json` and `bus.url` in the state folder, mode 0600. */
export function busFiles(stateDir: string): BusFiles {
  const state = join(stateDir, STATE);
  const address = join(stateDir, ADDRESS);
  const contents = new Map<string, string>();
  return {
    urlFile: address,
    read: (warn) => readJsonState(state, { schema: savedState, empty: newState(), lost: "the bus gets a new address", warn }),
    keep(next, url) {
      contents.set(address, `${url}\n`).set(state, `${JSON.stringify(next)}\n`);
      for (const [path, content] of contents) replaceFileSync(path, content, { isDurable: false });
    },
    check() {
      for (const [path, content] of contents) if (!existsSync(path)) replaceFileSync(path, content, { isDurable: false });
    },
    forget() {
      contents.clear();
      rmSync(address, { force: true });
    },
  };
}

/** Keeps nothing: for an embedded host without a state folder. */
export function noBusFiles(): BusFiles {
  return { urlFile: null, read: newState, keep() {}, check() {}, forget() {} };
}

function newState(): BusState {
  return { port: 0, token: newToken() };
}
