import { useContext } from "preact/hooks";
import { isEverywhere, isLoopback } from "../../../../src/features/ports/port-text.ts";
import type { ListeningPort } from "../../../../src/features/ports/wire.ts";
import type { Process } from "../../../../src/protocol/resources/resources.ts";
import { PortLinks } from "../../actions/port-links.ts";
import { Section } from "../../ui/detail-section.tsx";
import { PortItem } from "./port-item.tsx";
import { usePorts } from "./use-ports.ts";

/** The ports of a process that runs, with everything that it has started. */
export function PortsSection({ process }: { process: Process }) {
  const Links = useContext(PortLinks);
  const found = usePorts(process);
  if (found === null) return null;
  const { ports, host, complete } = found;
  return (
    <Section title="Ports">
      {ports.length > 0 && (
        <ul class="ports-list">
          {ports.map((port) => (
            <li key={[port.protocol, port.address, port.port, port.own_network].join()}>
              <PortItem port={port} host={host} hasReason /> {isOpenable(port) && <Links host={host} port={port.port} />}{" "}
              {port.pid !== process.pid && <span class="soft">pid {port.pid}</span>}
            </li>
          ))}
        </ul>
      )}
      {ports.length === 0 && complete && <p class="soft">It listens on no port.</p>}
      {!complete && <p class="soft">There may be others: a process of another user cannot be examined, or there are very many.</p>}
    </Section>
  );
}

/** Whether its host can connect to it by its loopback interface. */
function isOpenable(port: ListeningPort): boolean {
  return port.protocol === "tcp" && !port.own_network && (isLoopback(port) || isEverywhere(port));
}
