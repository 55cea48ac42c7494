// Attacks a bus, or uses a part of a processor for nothing.
import { setMaxListeners } from "node:events";
import { ATTACKS, type AttackName } from "./attacks.ts";

/** Period of which a part is used, milliseconds. */
const PERIOD_MS = 10;

export interface HostileQuestion {
  /** Without an attack: the end of all. */
  readonly attack?: { readonly port: number; readonly names: readonly AttackName[] };
  /** Part of one processor, 0 to 1. */
  readonly burn?: number;
}

let current = new AbortController();
let burner: ReturnType<typeof setInterval> | undefined;

function burn(part: number): void {
  clearInterval(burner);
  if (part <= 0) return;
  let owed = 0;
  let at = performance.now();
  burner = setInterval(() => {
    const begin = performance.now();
    owed = Math.min(5 * PERIOD_MS, owed + (begin - at) * part);
    at = begin;
    const from = process.cpuUsage();
    for (let spent = 0; spent < owed; ) {
      const { user, system } = process.cpuUsage(from);
      spent = (user + system) / 1_000;
    }
    owed = 0;
  }, PERIOD_MS / 2);
}

process.on("message", ({ attack, burn: part = 0 }: HostileQuestion) => {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  // One for each connection.
  setMaxListeners(0, signal);
  burn(part);
  for (const name of attack?.names ?? [])
    ATTACKS[name](attack?.port ?? 0, signal).catch((error: unknown) => {
      // A server may cut an attacker off.
      if (!signal.aborted) console.error(`${name}: ${error}`);
    });
  process.send?.({});
});
process.on("disconnect", () => process.exit());
process.send?.({});
