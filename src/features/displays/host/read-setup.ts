import type { Duplex } from "node:stream";
import { MgrError } from "../../../base/errors.ts";
import { MAX_SETUP_BYTES, parseSetup, setupFailed, type X11Setup } from "../x11/setup.ts";

/** Time for a client that was refused to read the answer, milliseconds. */
const REFUSAL_TIMEOUT_MS = 5_000;

/** Time in which a client must send its setup, milliseconds. */
const SETUP_TIMEOUT_MS = 10_000;

/**
 * Reads the setup packet of an X client. Afterwards the stream is paused and holds only the data after the packet. Rejects if the client sends
 * something else, too little or too late; the caller closes the stream.
 */
export function readSetup(client: Duplex, timeoutMs = SETUP_TIMEOUT_MS): Promise<X11Setup> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const settle = (act: () => void) => {
      clearTimeout(timer);
      client.pause();
      client.off("data", receive).off("end", ended).off("error", fail).off("close", ended);
      act();
    };
    const fail = (error: unknown) => settle(() => reject(error));
    const receive = (chunk: Buffer) => {
      // A chunk is at most one buffer of the stream, and the maximum size of the packet stops a flood.
      bytes = Buffer.concat([bytes, chunk]);
      try {
        const setup = parseSetup(bytes.subarray(0, MAX_SETUP_BYTES));
        if (setup === null) return;
        const rest = bytes.subarray(setup.length);
        settle(() => {
          if (rest.length > 0) client.unshift(rest);
          resolve(setup);
        });
      } catch (error) {
        fail(error);
      }
    };
    const ended = () => fail(new MgrError("conflict", "the X client ended the connection before its setup was complete"));
    const timer = setTimeout(
      () => fail(new MgrError("timeout", `the X client did not send its setup within ${timeoutMs / 1_000} s`)),
      timeoutMs,
    );
    client.on("error", fail).on("close", ended).on("end", ended).on("data", receive).resume();
  });
}

/** Sends the reason to a client that cannot be connected. The connection is closed when the client closes it, or after a time. */
export function refuseClient(client: Duplex, setup: Pick<X11Setup, "isBigEndian">, reason: string): void {
  const timer = setTimeout(() => client.destroy(), REFUSAL_TIMEOUT_MS);
  client.once("close", () => clearTimeout(timer));
  client.once("error", () => client.destroy());
  // If data of the client stayed unread, the kernel would drop the answer.
  client.resume().end(setupFailed(setup, reason));
}
