import { useState } from "preact/hooks";
import { messageOf } from "../../../../src/base/errors.ts";
import { includesPort } from "../../../../src/features/forward/port-ranges.ts";
import type { ListeningOn } from "../../actions/page-feature.ts";
import { Button } from "../../ui/button.tsx";
import { addressOfPort } from "./web-ports.ts";
import { useWebPorts } from "./use-web-ports.ts";

/** A button that opens a port in another tab, on a host name of its own; the reason where it has none; nothing where the user may not open it. */
export function PortLink({ host, port }: ListeningOn) {
  const [problem, setProblem] = useState<string | null>(null);
  const found = useWebPorts(host);
  if (found === null) return null;
  const { name, reason, ports } = found;
  if (name === null) return <span class="soft">cannot be opened here: {reason}</span>;
  if (!includesPort(ports, port)) return null;
  const open = async () => {
    setProblem(null);
    try {
      window.open(await addressOfPort(host, port), "_blank", "noopener,noreferrer");
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <>
      <Button needsManager label={`Open port ${port} at ${port}-${name}`} onClick={() => void open()}>
        Open
      </Button>
      {problem !== null && (
        <span role="alert" class="soft">
          {" "}
          {problem}
        </span>
      )}
    </>
  );
}
