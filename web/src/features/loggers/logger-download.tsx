import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../../../src/base/errors.ts";
import { bytesText } from "../../../../src/client/shown/units.ts";
import { refusalOf } from "../../state/access.ts";
import { withRequestToken } from "../../state/page-meta.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/marks/icons.tsx";
import { type Progress, saveWithProgress } from "./save-with-progress.ts";

const FORMATS: readonly (readonly [string, string])[] = [
  ["pickle", "pickle (Python)"],
  ["matlab", "MAT-file (MATLAB, Octave, SciPy)"],
  ["csv", "csv (zip, a file for each topic)"],
  ["mcap", "MCAP (Foxglove, PlotJuggler)"],
  ["raw", "raw (tar of binary records)"],
];

/** Saves the samples of a logger. */
export function LoggerDownload({ name, isStarted, isEmpty }: { name: string; isStarted: boolean; isEmpty: boolean }) {
  const [format, setFormat] = useState("pickle");
  const [stops, setStops] = useState(false);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const download = async () => {
    const controller = new AbortController();
    abort.current = controller;
    setProblem(null);
    setProgress({ done: 0, total: null });
    const query = new URLSearchParams({ name, format, ...(stops && isStarted ? { stop: "1" } : {}), spreadsheet: "1" });
    try {
      await saveWithProgress(withRequestToken(`/mgr/logger-download?${query}`), { signal: controller.signal, onProgress: setProgress });
    } catch (error) {
      if (!controller.signal.aborted) setProblem(messageOf(error));
    }
    if (abort.current === controller) setProgress(null);
  };
  return (
    <section class="detail-section call-form">
      <h2>Download</h2>
      <select aria-label="Format" value={format} onChange={(event) => setFormat(event.currentTarget.value)}>
        {FORMATS.map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
      {isStarted && refusalOf({ type: "stop_logger" }) === null && (
        <label class="check-row">
          <input type="checkbox" checked={stops} onChange={(event) => setStops(event.currentTarget.checked)} />
          Stop the logger first
        </label>
      )}
      {progress === null ? (
        <Button
          needsManager
          enabled={!isEmpty}
          forbidden={refusalOf({ need: "download", on: null }, "A download")}
          onClick={() => void download()}
        >
          <Icon name="download" />
          Download
        </Button>
      ) : (
        <div class="publish-row">
          <progress aria-label="Download" {...(progress.total === null ? {} : { max: progress.total, value: progress.done })} />
          <Button onClick={() => abort.current?.abort()}>Cancel</Button>
        </div>
      )}
      <p class={problem === null ? "soft" : "bad"} role="status">
        {problem ?? (progress === null ? (isEmpty ? "It holds no samples yet." : "") : progressText(progress))}
      </p>
    </section>
  );
}

function progressText({ done, total }: Progress): string {
  if (total === null) return "Collecting the samples from their hosts…";
  return `${bytesText(done)} of ${bytesText(total)}`;
}
