import { complain } from "../../../ui/toasts.ts";
import type { TraceSource } from "../../data-plane/plot/public.ts";
import type { RecordedFile } from "./recorded-file.ts";

/** A source of the samples of a whole file: drawn while it is read, and again when it is complete. `onProgress`: from 0 to 1. */
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
      // A complete file is not drawn again, until the user selects a part of it.
      isDrawn = isRead;
      return file.span;
    },
  };
}
