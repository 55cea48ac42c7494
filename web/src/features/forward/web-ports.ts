import { useEffect, useState } from "preact/hooks";
import { WEB_PORTS_PATH, type WebPortsAnswer } from "../../../../src/features/forward/web-ports-route.ts";
import { connection } from "../../state/store.ts";

/** Time for which an answer is used again, ms: a list of ports has many of one host. */
const FRESH_MS = 10_000;

const asked = new Map<string, Promise<WebPortsAnswer>>();

/** Which ports of a host this page can open; null: not known yet. */
export function useWebPorts(host: string): WebPortsAnswer | null {
  const [found, setFound] = useState<{ readonly host: string; readonly answer: WebPortsAnswer } | null>(null);
  const isOpen = connection.value.kind === "open";
  useEffect(() => {
    if (!isOpen) return;
    let isOver = false;
    webPortsOf(host).then(
      (answer) => !isOver && setFound({ host, answer }),
      (error: unknown) => console.info("ports cannot be opened", error),
    );
    return () => {
      isOver = true;
    };
  }, [host, isOpen]);
  return found?.host === host ? found.answer : null;
}

/** The address at which a browser opens a port once, within 30 s. Rejects with the reason of the manager. */
export async function addressOfPort(host: string, port: number): Promise<string> {
  const response = await fetch(`${WEB_PORTS_PATH}?${new URLSearchParams({ host, port: String(port) })}`, { method: "POST" });
  return (await bodyOf<{ url: string }>(response)).url;
}

function webPortsOf(host: string): Promise<WebPortsAnswer> {
  const known = asked.get(host);
  if (known !== undefined) return known;
  const answer = fetch(`${WEB_PORTS_PATH}?${new URLSearchParams({ host })}`).then((response) => bodyOf<WebPortsAnswer>(response));
  asked.set(host, answer);
  setTimeout(() => asked.delete(host), FRESH_MS);
  return answer;
}

async function bodyOf<Body>(response: Response): Promise<Body> {
  if (!response.ok) throw new Error((await response.text()).trim() || `the manager answered ${response.status}`);
  return (await response.json()) as Body;
}
