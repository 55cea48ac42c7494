import { MgrError } from "../../base/errors.ts";
import type { HookedClient } from "../broker/broker-hooks.ts";
import { ProgramCounts } from "./program-counts.ts";

/** Number of registrations at once, and afterwards per second: at its start, a program with a thousand topics registers once for each. */
const MAX_BURST = 2_000;
const MAX_PER_SECOND = 20;
/** Maximum number of bytes of registrations that are kept of one program, and of all. */
const MAX_PROGRAM_BYTES = 16 * 1024 * 1024;
const MAX_BYTES = 64 * 1024 * 1024;

interface Allowance {
  left: number;
  /** Monotonic, milliseconds. */
  at: number;
}

/** Limits how often a program registers, and the memory of registrations. */
export class RegistrationLimits {
  readonly #allowances = new Map<string, Allowance>();
  readonly #bytes = new Map<HookedClient, number>();
  readonly #programs = new ProgramCounts();
  #total = 0;

  /** Throws `busy` if this client must not register `bytes` now, in the place of its earlier registration. */
  claim(client: HookedClient, bytes: number): void {
    if (!this.#mayRegister(client.program ?? ""))
      throw new MgrError("busy", `this program registers too often: at most ${MAX_PER_SECOND} times a second`);
    const more = bytes - this.bytesOf(client);
    if (more > 0 && this.#programs.of(client) + more > MAX_PROGRAM_BYTES)
      throw new MgrError("busy", `the registrations of one program may take at most ${MAX_PROGRAM_BYTES} bytes; shorten the definitions`);
    if (more > 0 && this.#total + more > MAX_BYTES)
      throw new MgrError(
        "busy",
        `the registrations at this broker take ${MAX_BYTES} bytes already; shorten the definitions, or end other programs`,
      );
    this.#keep(client, bytes);
  }

  /** Bytes of the client's registration. */
  bytesOf(client: HookedClient): number {
    return this.#bytes.get(client) ?? 0;
  }

  /** Counts a registration that an earlier program accepted. */
  restore(client: HookedClient, bytes: number): void {
    this.#keep(client, bytes);
  }

  /** Releases the memory of a closed client. */
  release(client: HookedClient): void {
    this.#keep(client, 0);
  }

  #keep(client: HookedClient, bytes: number): void {
    const more = bytes - this.bytesOf(client);
    if (bytes === 0) this.#bytes.delete(client);
    else this.#bytes.set(client, bytes);
    this.#programs.add(client, more);
    this.#total += more;
  }

  #mayRegister(program: string): boolean {
    const now = performance.now();
    const known = this.#allowances.get(program);
    const left = known === undefined ? MAX_BURST : Math.min(MAX_BURST, known.left + ((now - known.at) / 1_000) * MAX_PER_SECOND);
    this.#forgetRested(now);
    if (left < 1) return false;
    // Set anew, so that the map stays in the order of the last registrations.
    this.#allowances.delete(program);
    this.#allowances.set(program, { left: left - 1, at: now });
    return true;
  }

  /** Forgets programs that have their whole allowance again, because they have not registered for long. */
  #forgetRested(now: number): void {
    for (const [program, { at }] of this.#allowances) {
      if ((now - at) * MAX_PER_SECOND < MAX_BURST * 1_000) return;
      this.#allowances.delete(program);
    }
  }
}
