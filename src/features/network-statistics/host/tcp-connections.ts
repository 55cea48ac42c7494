import { execFile } from "node:child_process";
import { MgrError, messageOf } from "../../../base/errors.ts";
import type { TcpRow } from "../contract.ts";

/** The managed process that a pid belongs to, or null. */
export type ProcessNames = (pid: number) => string | null;

/** Maximum run time of `ss`, milliseconds, and maximum size of its output, bytes: 10,000 connections are about 6 MB. */
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** TCP connections of all programs of this host with a peer, as of now. Rejects with `not_found` where `ss` is not installed. */
export async function readTcpConnections(nameOf: ProcessNames): Promise<TcpRow[]> {
  const text = await new Promise<string>((resolve, reject) => {
    execFile("ss", ["-tinHOp"], { timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES, encoding: "utf8" }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else if (error.code === "ENOENT") reject(new MgrError("not_found", "this host has no program ss; install the package iproute2"));
      else reject(new MgrError("internal", `ss failed: ${messageOf(error)}`));
    });
  });
  return parseTcpConnections(text, nameOf);
}

/**
 * A line of `ss -tinHOp`: state, two queues, both ends, `users:(("name",pid=1,fd=2))` if visible, then `key:value` and `key value` of the kernel's
 * TCP_INFO.
 */
export function parseTcpConnections(text: string, nameOf: ProcessNames): TcpRow[] {
  return text.split("\n").flatMap((line) => {
    const [state = "", , , local, peer] = line.split(/\s+/);
    if (local === undefined || peer === undefined || state === "LISTEN") return [];
    const [, program = "", owner] = /users:\(\("((?:[^"\\]|\\.)*)",pid=(\d+)/.exec(line) ?? [];
    const pid = owner === undefined ? null : Number(owner);
    const value = (pattern: RegExp) => Number(pattern.exec(line)?.[1] ?? 0);
    const rtt = /\srtt:([\d.]+)/.exec(line)?.[1];
    return {
      process: pid === null ? null : nameOf(pid),
      pid,
      program,
      local: plain(local),
      peer: plain(peer),
      // The kernel counts the first segment, which carries no data.
      bytes_sent: Math.max(0, value(/\sbytes_acked:(\d+)/) - 1),
      bytes_received: value(/\sbytes_received:(\d+)/),
      rtt_ms: rtt === undefined ? null : Number(rtt),
      retransmits: value(/\sretrans:\d+\/(\d+)/),
    };
  });
}

/** The address without the interface of a link-local address; a mapped IPv4 address becomes plain IPv4. */
function plain(address: string): string {
  return address.replace(/%[^\]:]+/, "").replace(/^\[::ffff:([\d.]+)\]/i, "$1");
}
