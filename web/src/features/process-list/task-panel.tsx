import { useState } from "preact/hooks";
import { POLICIES, REAL_TIME_POLICIES } from "../../../../src/base/scheduling-policies.ts";
import type { TaskColumn, TaskRow } from "../../../../src/features/process-list/wire.ts";
import { refusalOf } from "../../state/access.ts";
import { ask } from "../../state/store.ts";
import { addressOfView } from "../../state/views.ts";
import { copy } from "../../ui/browser/clipboard.ts";
import { isConnected } from "../../ui/connected.ts";
import { IconButton } from "../../ui/marks/icons.tsx";
import { complain, toast } from "../../ui/toasts.ts";
import { clampText, cpuList } from "./task-query.ts";

const CHOICES = Object.entries(POLICIES).map(([name, number]) => {
  const label = name.toUpperCase();
  return [number, REAL_TIME_POLICIES.has(number) ? `${label} (real time)` : label] as const;
});
/** Columns that are shown in the form, in the title or in a place of their own. */
const ELSEWHERE = new Set(["name", "policy", "prio", "nice", "affinity", "command", "env"]);

interface PanelProps {
  host: string;
  columns: TaskColumn[];
  row: TaskRow;
  onClose: () => void;
  onChanged: () => void;
}

/** The panel of one task: all its values, and a form for its scheduling. */
export function TaskPanel({ host, columns, row, onClose, onChanged }: PanelProps) {
  const cell = (name: string) => row.cells[columns.findIndex((column) => column.name === name)];
  const [pid, tid] = [Number(cell("pid")?.raw), Number(cell("tid")?.raw)];
  const address = addressOfView({ kind: "tasks", host, pid, tid }, "");
  const env = cell("env")?.raw;
  return (
    <aside class="details task-panel" aria-label={`Task ${tid}`}>
      <header>
        <h2>{cell("name")?.formatted}</h2>
        <IconButton
          icon="copy"
          label="Copy a link to this task"
          word="Copy"
          onClick={() => void copy(new URL(address, location.href).href, "the link")}
        />
        <IconButton icon="close" label="Close  Esc" onClick={onClose} />
      </header>
      <SchedulingForm host={host} pid={pid} tid={tid} cell={cell} onChanged={onChanged} />
      <section class="detail-section">
        <h2>Command</h2>
        <p class="mono whole">{cell("command")?.formatted}</p>
      </section>
      <section class="detail-section">
        <h2>Facts</h2>
        <dl class="pairs">
          {columns.map(({ name, label, unit }, index) =>
            ELSEWHERE.has(name) ? null : (
              <div key={name}>
                <dt>{label}</dt>
                <dd>{`${row.cells[index]?.formatted || "—"}${unit === "%" ? " %" : ""}${name === "start_time" ? " UTC" : ""}`}</dd>
              </div>
            ),
          )}
        </dl>
      </section>
      {env !== undefined && (
        <section class="detail-section">
          <h2>Environment</h2>
          {env === null ? (
            <p class="soft">Empty, or not readable: the process belongs to another user.</p>
          ) : (
            <pre class="quoted">{String(env).replaceAll("\0", "\n")}</pre>
          )}
        </section>
      )}
    </aside>
  );
}

interface FormProps {
  host: string;
  pid: number;
  tid: number;
  cell: (name: string) => TaskRow["cells"][number] | undefined;
  onChanged: () => void;
}

interface Wanted {
  policy: number;
  prio: number;
  nice: number;
  affinity: string;
}

/** The form for a task's scheduling. Typed values stay until they are applied or discarded; the other fields follow the task. */
function SchedulingForm({ host, pid, tid, cell, onChanged }: FormProps) {
  const now: Wanted = {
    policy: Number(cell("policy")?.raw),
    prio: Number(cell("prio")?.raw),
    nice: Number(cell("nice")?.raw),
    affinity: cell("affinity")?.formatted ?? "",
  };
  const [typed, setTyped] = useState<Partial<Wanted>>({});
  const [problem, setProblem] = useState<string | null>(null);
  const refusal = refusalOf({ type: "set_process_list_task", host }, "A change");
  const isFixed = refusal !== null;
  const requested = { ...now, ...typed };
  const isRealTime = REAL_TIME_POLICIES.has(requested.policy);
  const change = (part: Partial<Wanted>) => {
    setProblem(null);
    setTyped({ ...typed, ...part });
  };
  const apply = async () => {
    const affinity = cpuList(requested.affinity);
    if (affinity === null) return setProblem("CPUs are numbers and ranges with commas, such as 0-3,6.");
    const { policy, prio, nice } = requested;
    const sent = typed;
    const answer = await ask(
      { type: "set_process_list_task", host, pid, tid, policy, prio, affinity, nice },
      "process_list_task_set_result",
    );
    if (!answer.ok) return setProblem(answer.message);
    // Values that were typed meanwhile have not been applied.
    setTyped((latest) => (latest === sent ? {} : latest));
    const clamped = clampText(affinity, answer.affinity);
    toast(clamped === null ? `Thread ${tid} has its new scheduling.` : `Thread ${tid} has its new scheduling. ${clamped}.`);
    onChanged();
  };
  return (
    <form
      class="scheduling detail-section"
      aria-label={`Scheduling of thread ${tid}`}
      onSubmit={(event) => {
        event.preventDefault();
        apply().catch(complain);
      }}
    >
      <h2>Scheduling of this thread</h2>
      {refusal !== null && <p class="soft">{refusal}</p>}
      <label>
        <span>Policy</span>
        <select
          disabled={isFixed}
          value={requested.policy}
          onChange={(event) => {
            const policy = Number(event.currentTarget.value);
            change({ policy, prio: REAL_TIME_POLICIES.has(policy) ? Math.max(1, requested.prio) : 0 });
          }}
        >
          {CHOICES.map(([number, name]) => (
            <option key={number} value={number}>
              {name}
            </option>
          ))}
          {CHOICES.every(([number]) => number !== now.policy) && <option value={now.policy}>{cell("policy")?.formatted}</option>}
        </select>
      </label>
      <label>
        <span>Priority</span>
        <input
          type="number"
          min={isRealTime ? 1 : 0}
          max={isRealTime ? 99 : 0}
          disabled={isFixed || !isRealTime}
          value={requested.prio}
          onInput={(event) => change({ prio: event.currentTarget.valueAsNumber })}
        />
      </label>
      <label>
        <span>Nice</span>
        <input
          type="number"
          disabled={isFixed}
          min={-20}
          max={19}
          value={requested.nice}
          onInput={(event) => change({ nice: event.currentTarget.valueAsNumber })}
        />
      </label>
      <label>
        <span>CPUs</span>
        <input
          type="text"
          disabled={isFixed}
          value={requested.affinity}
          placeholder="0-3,6"
          onInput={(event) => change({ affinity: event.currentTarget.value })}
        />
      </label>
      {problem !== null && (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
      {/* Left out rather than disabled: a disabled button would lose the focus. */}
      {!isFixed && (
        <span class="dialog-buttons">
          <button
            type="button"
            onClick={() => {
              setTyped({});
              setProblem(null);
            }}
          >
            Reset
          </button>
          <button type="submit" class="strong" disabled={!isConnected.value}>
            Apply
          </button>
        </span>
      )}
    </form>
  );
}
