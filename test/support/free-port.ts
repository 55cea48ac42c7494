import { randomInt } from "node:crypto";
import { bindError } from "../../src/daemon/native/try-bind.ts";

/** A free port of loopback; not one of those that the kernel gives to other programs meanwhile. */
export function freePort(): number {
  for (;;) {
    const port = randomInt(15_000, 30_000);
    if (bindError("127.0.0.1", port) === null) return port;
  }
}
