import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Frame } from "../support/client.ts";

/** A row of a table by its key, as frames carry it. */
export type Row = Readonly<Record<string, unknown>>;

/** Clients, topics and services as one connection was told of them by events alone, after its snapshot. */
export class FollowedTables {
  readonly clients = new Map<unknown, Row>();
  readonly topics = new Map<unknown, Row>();
  readonly services = new Map<unknown, Row>();

  /** `frames`: all that came, in their order; the first snapshot among them is the beginning. */
  constructor(frames: readonly Frame[]) {
    const begin = frames.findIndex(({ type }) => type === "snapshot");
    const snapshot = frames[begin];
    if (snapshot === undefined) throw new Error("no snapshot was asked for");
    for (const row of snapshot.clients as Row[]) this.clients.set(row.id, row);
    for (const row of snapshot.topics as Row[]) this.topics.set(row.name, row);
    for (const row of snapshot.services as Row[]) this.services.set(row.name, row);
    this.#apply(frames.slice(begin + 1));
  }

  #apply(frames: readonly Frame[]): void {
    for (const { type, client, topic, service, id, name } of frames as readonly (Frame & Record<"client" | "topic" | "service", Row>)[]) {
      if (type === "client_upsert") this.clients.set(client.id, client);
      else if (type === "client_remove") this.clients.delete(id);
      else if (type === "topic_upsert") this.topics.set(topic.name, topic);
      else if (type === "topic_remove") this.topics.delete(name);
      else if (type === "service_upsert") this.services.set(service.name, service);
      else if (type === "service_remove") this.services.delete(name);
    }
  }
}

/** Rows by a key, so that two tables can be compared whatever their order. */
export function byKey(rows: unknown, key: string): Map<unknown, Row> {
  return new Map((rows as Row[]).map((row) => [row[key], row]));
}

/** `<ip>:<port>` of the connections of a process to a port of loopback, as the kernel has them. */
export function addressesOf(pid: number, port: number): string[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  const rows = readFileSync(`/proc/${pid}/net/tcp`, "latin1").trim().split("\n").slice(1);
  return rows.flatMap((row) => {
    const [, local = "", remote = "", , , , , , , inode = ""] = row.trim().split(/\s+/);
    const portOf = (end: string) => Number.parseInt(end.split(":")[1] ?? "", 16);
    return inodes.has(inode) && portOf(remote) === port ? [`127.0.0.1:${portOf(local)}`] : [];
  });
}
