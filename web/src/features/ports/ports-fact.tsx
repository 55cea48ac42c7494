import { portText } from "../../../../src/features/ports/port-text.ts";
import type { ListeningPort } from "../../../../src/features/ports/wire.ts";
import type { Process } from "../../../../src/protocol/resources/resources.ts";
import { PortItem } from "./port-item.tsx";
import { usePorts } from "./use-ports.ts";

/** Ports that the status line has room for. */
const MAX_SHOWN = 3;

/** The TCP ports of a process, in its status line. */
export function PortsFact({ process }: { process: Process }) {
  const found = usePorts(process);
  const ports = firstOfEach(found?.ports.filter(({ protocol }) => protocol === "tcp") ?? []);
  if (found === null || ports.length === 0) return null;
  return (
    <span class="ports-fact">
      {ports.length === 1 ? "port" : "ports"}{" "}
      {ports.slice(0, MAX_SHOWN).map((port) => (
        <PortItem key={portText(port)} port={port} host={found.host} hasReason={false} />
      ))}
      {ports.length > MAX_SHOWN && <span>+{ports.length - MAX_SHOWN}</span>}
    </span>
  );
}

/** Programs that listen on IPv4 and IPv6 have two sockets for one port. */
function firstOfEach(ports: readonly ListeningPort[]): ListeningPort[] {
  return [...new Map(ports.toReversed().map((port) => [portText(port), port])).values()].reverse();
}
