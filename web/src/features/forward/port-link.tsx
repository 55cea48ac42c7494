import { includesPort } from "../../../../src/features/forward/port-ranges.ts";
import type { ListeningOn } from "../../actions/port-links.ts";
import { Button } from "../../ui/button.tsx";
import { complain } from "../../ui/toasts.ts";
import { addressOfPort, useWebPorts } from "./web-ports.ts";

/** A button that opens a port in another tab, on a host name of its own; the reason where it has none; nothing where the user may not open it. */
export function PortLink({ host, port }: ListeningOn) {
  const found = useWebPorts(host);
  if (found === null) return null;
  const { name, reason, ports } = found;
  if (name === null) return <span class="soft">cannot be opened here: {reason}</span>;
  if (!includesPort(ports, port)) return null;
  const open = () => addressOfPort(host, port).then((address) => void window.open(address, "_blank", "noopener,noreferrer"), complain);
  return (
    <Button needsManager label={`Open port ${port}`} title={`${port}-${name}`} onClick={() => void open()}>
      Open
    </Button>
  );
}
