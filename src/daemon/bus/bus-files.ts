import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readJsonState } from "../../files/json-state-file.ts";
import { replaceFileSync } from "../../files/replace-file.ts";
import { newToken } from "./run-tokens.ts";

const STATE = "bus.json";
const ADDRESS = "bus.url";

const savedState = z.object({ port: z.number().int().min(0).max(65_535), token: z.string().min(32) });

/** What the broker of a host keeps across restarts of its daemon. */
export interface BusState {
  /** 0: there was none yet. */
  readonly port: number;
  /** Of programs that read `bus.url`. */
  readonly token: string;
}

/** The files that keep it; null: none. */
export interface BusFiles {
  /** `warn` is called with the reason why programs need the new address from `bus.url`. */
  read(warn: (msg: string) => void): BusState;
  /** The broker listens: on this port, and at this address for programs of this machine. */
  keep(state: BusState, url: string): void;
  /** Rewrites the files that are missing. */
  look(): void;
  /** The broker no longer listens. */
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
    look() {
      for (const [path, content] of contents) if (!existsSync(path)) replaceFileSync(path, content, { isDurable: false });
    },
    forget() {
      contents.clear();
      rmSync(address, { force: true });
    },
  };
}

/** Of an embedded host without a state folder: nothing outlives it. */
export function noBusFiles(): BusFiles {
  return { urlFile: null, read: newState, keep() {}, look() {}, forget() {} };
}

function newState(): BusState {
  return { port: 0, token: newToken() };
}
