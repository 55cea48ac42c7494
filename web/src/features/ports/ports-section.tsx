import type { Process } from "../../../../src/protocol/resources/resources.ts";
import { Section } from "../../ui/detail-section.tsx";
import { PortItem } from "./port-item.tsx";
import { usePorts } from "./use-ports.ts";

/** The ports of a process that runs, with everything that it has started. */
export function PortsSection({ process }: { process: Process }) {
  const found = usePorts(process);
  if (found === null) return null;
  const { ports, host, complete } = found;
  return (
    <Section title="Ports">
      {ports.length > 0 && (
        <ul class="ports-list">
          {ports.map((port) => (
            <li key={[port.protocol, port.address, port.port, port.own_network].join()}>
              <PortItem port={port} host={host} hasReason /> {port.pid !== process.pid && <span class="soft">pid {port.pid}</span>}
            </li>
          ))}
        </ul>
      )}
      {ports.length === 0 && complete && <p class="soft">It listens on no port.</p>}
      {!complete && <p class="soft">There may be others: a process of another user cannot be examined, or there are very many.</p>}
    </Section>
  );
}
