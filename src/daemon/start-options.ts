import { z } from "zod";

const absolute = z.string().startsWith("/");

const busPlace = z.union([
  z.strictObject({ socket: absolute }),
  z.strictObject({ urls: z.array(z.string()).min(1), token_file: absolute.nullable(), ca_file: absolute.nullable() }),
]);

/**
 * Options of the daemon: one argument, JSON. The daemon of the manager's own host connects to the unix socket of the manager's broker,
 * every other one to a bus address, with the token of its host.
 */
const startOptions = z.strictObject({
  state_dir: absolute,
  host: z.string().min(1),
  /**
   * `stdin`: the program loads, then reads the place of the bus as JSON there. If stdin ends without one, the program exits without having
   * done anything.
   */
  bus: z.union([z.literal("stdin"), busPlace]),
  /** Base folder of relative paths of processes, if the configuration's own folder is on another machine. */
  work_dir: absolute.default("/"),
  /** Version of the program that this daemon belongs to. */
  version: z.string().optional(),
  /** Maximum memory for the output of all processes, bytes. */
  ring_budget: z.int().positive().optional(),
  /** Whether what was requested before is started if no manager greets the daemon; omitted: as the configuration of the host said (`on_boot`). */
  resume: z.boolean().optional(),
  /** Print the state of the connection, for a user at a terminal. */
  is_talkative: z.boolean().default(false),
});
export type StartOptions = z.infer<typeof startOptions> & { bus: z.infer<typeof busPlace> };

/** Parses the options. `place` reads the place of the bus if it is passed on stdin. Returns null if stdin has none. Throws for invalid options. */
export function readStartOptions(argument: string | undefined, place: () => string): StartOptions | null {
  const { bus, ...options } = startOptions.parse(JSON.parse(argument ?? ""));
  if (bus !== "stdin") return { ...options, bus };
  const text = place();
  return text === "" ? null : { ...options, bus: busPlace.parse(JSON.parse(text)) };
}

/** Address of the bus for messages, without secrets. */
export function placeOfBus({ bus }: StartOptions): string {
  return "socket" in bus ? bus.socket : bus.urls.map((url) => url.replace(/\/\/[^/@]*@/, "//")).join(", ");
}
