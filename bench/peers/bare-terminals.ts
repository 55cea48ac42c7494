import { Part } from "../support/part.ts";
import type { LiveProcesses } from "./live-processes.ts";
import type { Peer } from "./peer.ts";

/** posix_spawn with a pseudo terminal for each process and nothing else, in a Node program: the least that any host daemon has to do. */
export async function bareTerminals(processes: LiveProcesses): Promise<Peer> {
  const part = await Part.start(new URL("bare-terminals-part.ts", import.meta.url));
  const commands = Array.from({ length: processes.count }, (_, number) => processes.command(number));
  const ask = async (question: object) => {
    await part.ask(question);
  };
  return {
    up: () => ask({ start: commands, cwd: processes.dir }),
    programs: () => [part.pid],
    stop: () => ask({ stop: true }),
    restart: (number) => ask({ restart: number }),
    status: null,
    [Symbol.asyncDispose]: async () => {
      await ask({ stop: true });
      await part[Symbol.asyncDispose]();
    },
  };
}
