import type { Process } from "../../../src/protocol/resources/resources.ts";
import { showProcess } from "../state/navigation.ts";
import { processOf } from "../state/store.ts";
import { isNarrow } from "../ui/browser/screen.ts";
import { ProcessMark } from "../ui/marks/state-mark.tsx";

const ROW = 30;
const ROW_NARROW = 46;
/** Maximum number of names on each side. */
const MAX_ROWS = 12;

/** The dependencies of a process on the left, its dependents on the right; every name is a link. */
export function DependencyGraph({ process, neededBy }: { process: Process; neededBy: readonly string[] }) {
  const left = process.depends_on.slice(0, MAX_ROWS);
  const right = neededBy.slice(0, MAX_ROWS);
  if (left.length + right.length === 0) return <p class="soft">No dependencies.</p>;
  const height = Math.max(left.length, right.length, 1) * (isNarrow.value ? ROW_NARROW : ROW);
  const more = Math.max(0, process.depends_on.length - MAX_ROWS) + Math.max(0, neededBy.length - MAX_ROWS);
  return (
    <>
      <div class="graph" style={{ height: `${height}px` }}>
        <Column names={left} label="Depends on" />
        <Lines count={left.length} height={height} towards="middle" />
        <div class="graph-self">
          <ProcessMark process={process} />
        </div>
        <Lines count={right.length} height={height} towards="side" />
        <Column names={right} label="Needed by" />
      </div>
      {more > 0 && <p class="soft">and {more} more</p>}
    </>
  );
}

function Column({ names, label }: { names: string[]; label: string }) {
  return (
    <ul class="graph-column" aria-label={label}>
      {names.map((name) => {
        const process = processOf(name);
        return (
          <li key={name}>
            <button type="button" class="flat" title={name} onClick={() => showProcess(name)}>
              {process && <ProcessMark process={process} />}
              <span>{name.slice(name.lastIndexOf("/") + 1)}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function Lines({ count, height, towards }: { count: number; height: number; towards: "middle" | "side" }) {
  const lines = Array.from({ length: count }, (_, index) => {
    const y = ((index + 0.5) * height) / count;
    const middle = height / 2;
    return towards === "middle" ? `M0 ${y}C14 ${y} 14 ${middle} 28 ${middle}` : `M0 ${middle}C14 ${middle} 14 ${y} 28 ${y}`;
  });
  return (
    <svg class="graph-lines" width="28" height={height} aria-hidden="true">
      {lines.map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );
}
