import { z } from "zod";

const absolute = z.string().startsWith("/");

/**
 * What the daemon is started with: one argument, JSON. The manager's own host comes over the unix socket of its broker,
 * every other one over a bus address, with the token of its host.
 */
export const startOptions = z.strictObject({
  state_dir: absolute,
  host: z.string().min(1),
  bus: z.union([
    z.strictObject({ socket: absolute }),
    z.strictObject({ urls: z.array(z.string()).min(1), token_file: absolute.nullable(), ca_file: absolute.nullable() }),
  ]),
  /** Base folder of relative paths of processes, if the configuration's own folder is on another machine. */
  work_dir: absolute.default("/"),
  /** Of the program that this belongs to. */
  version: z.string().optional(),
  /** Bytes of memory for the output of all processes. */
  ring_budget: z.number().int().positive().optional(),
  /** Print the state of the connection, for a user at a terminal. */
  is_talkative: z.boolean().default(false),
});
export type StartOptions = z.infer<typeof startOptions>;

/** For messages: the address of the bus, without secrets. */
export function placeOfBus({ bus }: StartOptions): string {
  return "socket" in bus ? bus.socket : bus.urls.map((url) => url.replace(/\/\/[^/@]*@/, "//")).join(", ");
}
