import { cpuOf, loadOf, memoryOf } from "../state/loads.ts";

const MEANING = "CPU in percent of one CPU and resident memory, with everything that the process has started";

/** The sum of CPU and memory of some processes. Its place is kept while nothing is known. */
export function LoadText({ names }: { names: readonly string[] }) {
  const sum = loadOf(names);
  return (
    <span class="load" title={MEANING}>
      <span class="load-cpu">{sum ? `CPU ${cpuOf(sum)}` : ""}</span>
      <span class="load-memory">{memoryOf(sum)}</span>
    </span>
  );
}
