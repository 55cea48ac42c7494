import type { Process, ProcessState } from "../../src/protocol/resources.ts";
import { PROCESS_STATES } from "../../src/protocol/resources.ts";
import { StateMark } from "./state-mark.tsx";
import { counts, processNames, processSignal, select } from "./store.ts";

/** States that somebody should look at, worst first. */
const TROUBLE: ProcessState[] = ["error", "backoff", "waiting", "stopping", "starting"];

/** What is shown while no process is picked: is everything all right? */
export function Overview() {
  const processes = processNames.value.flatMap((name) => processSignal(name)?.value ?? []);
  const trouble = TROUBLE.flatMap((state) => processes.filter((process) => process.state === state));
  const failed = processes.some((process) => process.state === "error");
  const verdict = failed ? "Something has failed." : trouble.length > 0 ? "Something is on its way." : "Everything is all right.";
  return (
    <section class="overview" aria-label="Overview">
      <h1>{verdict}</h1>
      <ul class="counts" aria-label="Processes by state">
        {PROCESS_STATES.filter((state) => counts.value.has(state)).map((state) => (
          <li key={state}>
            <StateMark state={state} />
            <b>{counts.value.get(state)}</b> {state}
          </li>
        ))}
      </ul>
      {trouble.length > 0 && (
        <ul class="trouble" aria-label="To look at">
          {trouble.map((process) => (
            <li key={process.name}>
              <button type="button" onClick={() => select(process.name)}>
                <StateMark state={process.state} />
                <span class="name">{process.name}</span>
                <span class="why">{reason(process)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <p class="hint">Pick a process on the left to see its terminal and type into it.</p>
    </section>
  );
}

function reason(process: Process): string {
  if (process.state === "waiting") return `waiting for ${process.waiting_for.join(", ")}`;
  if (process.exit === null) return process.state;
  if (process.exit.reason !== null) return process.exit.reason;
  return process.exit.signal === null ? `exit code ${process.exit.code}` : `ended by ${process.exit.signal}`;
}
