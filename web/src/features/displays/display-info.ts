/** The parts of the answer to `GET /mgr/vnc/info` that the page uses. */
export type DisplayInfo =
  | { ok: true; ready: boolean; path: string; process: string; name: string }
  /** `isFinal`: a retry does not help before something else changes. */
  | { ok: false; message: string; isFinal: boolean };

/** Path of a display's WebSocket; any other path in an answer is refused. */
const SOCKET_PATH = "/mgr/vnc/ws";

/** Address of the information about a display. `session`: a configured session; null: the user's own display. */
export function infoAddress(session: string | null): string {
  return `/mgr/vnc/info${session === null ? "" : `?session=${encodeURIComponent(session)}`}`;
}

/** Requests a display at an `infoAddress`, which starts a private one. Rejects if the manager cannot be reached. */
export async function displayInfo(address: string, signal: AbortSignal): Promise<DisplayInfo> {
  const response = await fetch(address, { signal });
  const text = await response.text();
  return readInfo(response.status, text);
}

export function readInfo(status: number, text: string): DisplayInfo {
  const answer = parsed(text);
  if (answer?.ok !== true) {
    const { message } = answer ?? {};
    const sentence = typeof message === "string" ? message : text.trim() || `The manager answered ${status}.`;
    // A stopped session may be started again; one that is not configured does not appear by itself.
    return { ok: false, message: sentence, isFinal: status === 404 };
  }
  const { ready, websocket_path: path, process, display_name: name } = answer;
  if (typeof path !== "string" || !(path === SOCKET_PATH || path.startsWith(`${SOCKET_PATH}?`)))
    return { ok: false, message: "The manager named no address for this display.", isFinal: true };
  return {
    ok: true,
    ready: ready === true,
    path,
    process: typeof process === "string" ? process : "",
    name: typeof name === "string" ? name : "",
  };
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null; // A proxy's page, or plain text.
  }
}
