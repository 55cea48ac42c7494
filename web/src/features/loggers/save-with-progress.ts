import { downloadBlob } from "../../ui/browser/download.ts";

export interface Progress {
  /** Bytes received so far. */
  readonly done: number;
  /** Size of the file, bytes; null if it is not known. */
  readonly total: number | null;
}

/** Size of the pieces that are given to the browser, bytes: it keeps them outside of the page, large ones on disk. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** Downloads a file and lets the browser save it. Rejects with the manager's message if it refuses. */
export async function saveWithProgress(
  address: string,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: Progress) => void },
): Promise<void> {
  const response = await fetch(address, { signal });
  if (!response.ok || !response.body) throw new Error((await response.text()).trim() || `The manager answered ${response.status}.`);
  const length = response.headers.get("content-length");
  const total = length === null ? null : Number(length);
  const blobs: Blob[] = [];
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  let [held, done] = [0, 0];
  const reader = response.body.getReader();
  for (;;) {
    const { done: isOver, value } = await reader.read();
    if (value) {
      pieces.push(value);
      held += value.length;
      done += value.length;
    }
    if (held >= PIECE_BYTES || isOver) {
      blobs.push(new Blob(pieces));
      pieces = [];
      held = 0;
    }
    if (isOver) break;
    onProgress({ done, total });
  }
  if (total !== null && done !== total) throw new Error("The connection ended before the file was complete. Download it again.");
  const [, name] = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "") ?? [];
  downloadBlob(new Blob(blobs), name ?? "logger");
}
