import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Process } from "../../src/protocol/resources.ts";
import { StateChip } from "./state-mark.tsx";
import { command, select } from "./store.ts";
import { lasting } from "./time.ts";

const size = signal("");

export function ProcessView({ process }: { process: Process }) {
  const { name, state } = process;
  const ask = (type: "start_process" | "stop_process" | "restart_process") => void command({ type, name });
  const idle = state === "stopped" || state === "error";
  return (
    <section class="process" aria-label={`Process ${name}`}>
      <header class="bar">
        <button type="button" class="back" onClick={() => select("")} aria-label="Back to the overview">
          ‹
        </button>
        <h1 title={name}>{name}</h1>
        <StateChip state={state} />
        <span class="facts">
          {process.pid !== null && <span>pid {process.pid}</span>}
          {process.pid !== null && process.start_time && <span>up {lasting(process.start_time)}</span>}
          {process.restarts > 0 && <span>{process.restarts} restarts</span>}
          {!process.host_ready && <span class="warn">host away</span>}
          <span>{size.value}</span>
        </span>
        <span class="actions">
          <button type="button" class="primary" disabled={!idle && state !== "backoff"} onClick={() => ask("start_process")}>
            Start
          </button>
          <button type="button" disabled={idle && process.requested_state === "stop"} onClick={() => ask("stop_process")}>
            Stop
          </button>
          <button type="button" onClick={() => ask("restart_process")}>
            Restart
          </button>
        </span>
      </header>
      <Why process={process} />
      <TerminalBox key={name} name={name} />
      <footer class="command" title={process.current_command}>
        <code>{process.current_command}</code>
      </footer>
    </section>
  );
}

/** One sentence where a person has to know why: error, backoff, waiting. */
function Why({ process }: { process: Process }) {
  const { exit, state } = process;
  const how = exit === null ? "" : (exit.reason ?? (exit.signal === null ? `exit code ${exit.code}` : `ended by ${exit.signal}`));
  if (state === "error") return <p class="why bad">Failed: {how || "see the log"}</p>;
  if (state === "backoff") {
    return (
      <p class="why warn">
        Ended ({how}); starts again {process.next_start_time ? `in ${lasting(process.next_start_time, true)}` : "soon"}
      </p>
    );
  }
  if (state === "waiting") return <p class="why">Waiting for {process.waiting_for.join(", ")}</p>;
  return null;
}

function TerminalBox({ name }: { name: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let close = () => {};
    let gone = false;
    // The terminal is the heaviest part of the page: loaded when first needed.
    void import("./terminal.ts").then(({ openTerminal }) => {
      if (gone || !box.current) return;
      close = openTerminal(name, box.current, (text) => {
        size.value = text;
      });
    });
    return () => {
      gone = true;
      close();
    };
  }, [name]);
  return <div class="terminal-box" ref={box} role="application" aria-label={`Terminal of ${name}`} />;
}
