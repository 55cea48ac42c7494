import { readFileSync } from "node:fs";
import { MgrError, messageOf } from "../../base/errors.ts";
import type { InstanceSettings } from "../../config/definition.ts";
import type { BusSettings } from "../../contract/messages.ts";

type Settings = Pick<InstanceSettings, "bus" | "bus_ca_file" | "bus_leafnode_url" | "bus_max_payload" | "bus_memory">;

/**
 * Settings for a host's broker. It links to the broker by which the host reaches the manager. A nats-server accepts leaf nodes only on its
 * leaf-node listener, not on its client port. The local host always reaches the manager's own broker.
 */
export function busSettings(settings: Settings, isLocal: boolean): BusSettings {
  const { bus, bus_ca_file, bus_leafnode_url: url, bus_max_payload, bus_memory } = settings;
  const own = isLocal || bus.length === 0 ? ("manager" as const) : null;
  const ca = () => (bus_ca_file === null ? null : readPem("bus_ca_file", bus_ca_file));
  return { hub: url === null ? own : { url, ca: ca() }, max_payload: bus_max_payload, memory: bus_memory };
}

/** Throws `bad_field` for a file that cannot be read. */
export function readPem(key: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new MgrError("bad_field", `instance.${key}: ${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}
