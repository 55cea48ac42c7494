import { portText } from "../../../../src/features/ports/port-text.ts";
import type { ListeningPort } from "../../../../src/features/ports/wire.ts";
import { linkOfPort } from "./use-ports.ts";

/** A port: a link that opens it in another tab, or its text with the reason why it cannot be opened from here. */
export function PortItem({ port, host, hasReason }: { port: ListeningPort; host: string; hasReason: boolean }) {
  const link = linkOfPort(port, host);
  const text = portText(port);
  if ("href" in link)
    return (
      <a href={link.href} target="_blank" rel="noopener noreferrer" title={link.href}>
        {text}
      </a>
    );
  return (
    <span title={link.reason}>
      {text}
      {hasReason && link.reason !== "UDP" && <span class="soft"> ({link.reason})</span>}
    </span>
  );
}
