import { z } from "zod";

const absolute = z.string().startsWith("/");

const busPlace = z.union([
  z.strictObject({ socket: absolute }),
  z.strictObject({ urls: z.array(z.string()).min(1), token_file: absolute.nullable(), ca_file: absolute.nullable() }),
]);

/**
 * What the daemon is started with: one argument, JSON. The manager's own host comes over the unix socket of its broker,
 * every other one over a bus address, with the token of its host.
 */
const startOptions = z.strictObject({
  state_dir: absolute,
  host: z.string().min(1),
  /** `stdin`: the program loads, then waits for the place as JSON there. If that ends without one, so does the program, and nothing happened. */
  bus: z.union([z.literal("stdin"), busPlace]),
  /** Base folder of relative paths of processes, if the configuration's own folder is on another machine. */
  work_dir: absolute.default("/"),
  /** Of the program that this belongs to. */
  version: z.string().optional(),
  /** Bytes of memory for the output of all processes. */
  ring_budget: z.number().int().positive().optional(),
  /** Print the state of the connection, for a user at a terminal. */
  is_talkative: z.boolean().default(false),
});
export type StartOptions = z.infer<typeof startOptions> & { bus: z.infer<typeof busPlace> };

/** `place` reads the place of the bus if it comes on stdin; null: there is none. Throws for what does not fit. */
export function readStartOptions(argument: string | undefined, place: () => string): StartOptions | null {
  const { bus, ...options } = startOptions.parse(JSON.parse(argument ?? ""));
  if (bus !== "stdin") return { ...options, bus };
  const text = place();
  return text === "" ? null : { ...options, bus: busPlace.parse(JSON.parse(text)) };
}

/** For messages: the address of the bus, without secrets. */
export function placeOfBus({ bus }: StartOptions): string {
  return "socket" in bus ? bus.socket : bus.urls.map((url) => url.replace(/\/\/[^/@]*@/, "//")).join(", ");
}
