import { randomInt } from "node:crypto";
import { bindError } from "../../src/daemon/native/try-bind.ts";

const given = new Set<number>();

/** A free port of loopback; not one of those that the kernel gives to other programs meanwhile, and no port twice. */
export function freePort(): number {
  for (;;) {
    const port = randomInt(15_000, 30_000);
    if (given.has(port) || bindError("127.0.0.1", port) !== null) continue;
    given.add(port);
    return port;
  }
}
