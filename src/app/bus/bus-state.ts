import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { parseJson } from "../../base/json.ts";
import type { StateFiles } from "../state/state-files.ts";

const STATE = "bus.json";
const ADDRESS = "bus.url";

const savedState = z.object({ secret: z.string().min(40), port: z.number().int().min(0).max(65_535) });

/** What processes that outlive a manager still hold from it: the signature of their tokens, and the port. */
export interface BusState {
  readonly secret: Buffer;
  /** 0: there was none yet. */
  readonly port: number;
  /** The bus is served: on this port, and at this address for programs of this machine. */
  keep(port: number, url: string): Promise<void>;
  /** It is no longer served. */
  forget(): Promise<void>;
}

/** For as long as the manager lives: nothing outlives it. */
export function busStateInMemory(): BusState {
  return { secret: randomBytes(32), port: 0, keep: () => Promise.resolve(), forget: () => Promise.resolve() };
}

/** From `bus.json` in the state folder, mode 0600; made anew when it is not there or cannot be understood. */
export async function busState(files: StateFiles): Promise<BusState> {
  const saved = await readFile(files.path(STATE), "utf8").then(
    (text) => savedState.safeParse(parseJson(text)),
    () => null,
  );
  const { secret, port } = saved?.success ? saved.data : { secret: randomBytes(32).toString("base64url"), port: 0 };
  const keep = async (used: number, url: string) => {
    await files.write(ADDRESS, `${url}\n`);
    await files.write(STATE, `${JSON.stringify({ secret, port: used })}\n`);
  };
  return { secret: Buffer.from(secret, "base64url"), port, keep, forget: () => files.remove(ADDRESS) };
}
