import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";

export interface ForwardTarget {
  /** Port on the loopback interface of this machine; 0: any free one. */
  readonly localPort: number;
  readonly host: string;
  readonly port: number;
}

const TARGET = /^(?:(\d{1,5}):)?([^\s:]+):(\d{1,5})$/;
const MAX_PORT = 65_535;

/** Parses `[LOCAL_PORT:]HOST:PORT`. Without LOCAL_PORT it is PORT. Throws CommandFailure. */
export function parseForwardTarget(text: string): ForwardTarget {
  const [, local, host, remote] = TARGET.exec(text) ?? [];
  const port = Number(remote);
  const localPort = local === undefined ? port : Number(local);
  if (host === undefined || !(port >= 1 && port <= MAX_PORT) || localPort > MAX_PORT)
    throw new CommandFailure(
      EXIT.usage,
      `'${text}' is not [LOCAL_PORT:]HOST:PORT, such as 5432:bench:5432; LOCAL_PORT 0 selects a free port`,
    );
  return { localPort, host, port };
}
