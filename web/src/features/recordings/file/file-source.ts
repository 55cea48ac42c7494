import { complain } from "../../../ui/toasts.ts";
import type { TraceSource } from "../../data-plane/plot/public.ts";
import type { RecordedFile } from "./recorded-file.ts";

/** The whole file: drawn while it is read, and once more when it is complete. `onProgress`: from 0 to 1. */
export function fileSource(file: RecordedFile, onProgress: (part: number) => void): TraceSource {
  let isDrawn = false;
  let isRead = false;
  return {
    key: "file",
    read: (traces) => {
      const abort = new AbortController();
      const { samples, fill } = file.traces(traces, file.span);
      isDrawn = false;
      isRead = false;
      onProgress(0);
      fill({ signal: abort.signal, onProgress })
        .then(() => {
          if (!abort.signal.aborted) isRead = true;
        })
        .catch(complain);
      return { samples, end: () => abort.abort() };
    },
    span: () => {
      if (isDrawn) return null;
      // What is complete need not be drawn again, until the user looks at a part of it.
      isDrawn = isRead;
      return file.span;
    },
  };
}
