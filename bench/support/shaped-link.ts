import { execFileSync } from "node:child_process";

const NAMESPACE = `mgr-bench-${process.pid}`;
const LINK = `mgrb${process.pid % 100_000}`;

const ip = (...args: string[]) => execFileSync("ip", args, { stdio: ["ignore", "ignore", "inherit"] });

/** The command that executes another one at the far end of the link. */
export const AT_LEAF = ["ip", "netns", "exec", NAMESPACE];

/**
 * A link of 16 Mbit/s with a queue of 10 ms (tc tbf) for as long as `work` takes, between the address `hub` here and `leaf` in a network namespace. Both are
 * of the same /30 network. Needs root.
 */
export async function withShapedLink({ hub, leaf }: { hub: string; leaf: string }, work: () => Promise<void>): Promise<void> {
  ip("netns", "add", NAMESPACE);
  try {
    ip("link", "add", LINK, "type", "veth", "peer", "name", "up0", "netns", NAMESPACE);
    ip("addr", "add", `${hub}/30`, "dev", LINK);
    ip("link", "set", LINK, "up");
    ip("-n", NAMESPACE, "addr", "add", `${leaf}/30`, "dev", "up0");
    for (const device of ["lo", "up0"]) ip("-n", NAMESPACE, "link", "set", device, "up");
    ip("netns", "exec", NAMESPACE, "tc", "qdisc", "add", "dev", "up0", "root", "tbf", "rate", "16mbit", "burst", "8kb", "latency", "10ms");
    await work();
  } finally {
    ip("netns", "del", NAMESPACE);
  }
}
