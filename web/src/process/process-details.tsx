import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { exitText } from "../../../src/client/handles/exit-text.ts";
import { shownState } from "../../../src/client/shown/shown-state.ts";
import type { ManagerFrame } from "../../../src/protocol/frames/frames.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { isTroubleState } from "../actions/actions.ts";
import { refusalOf } from "../state/access.ts";
import { cpuOf, loadOf, memoryOf } from "../state/loads.ts";
import { reasonOf } from "../state/status-reason.ts";
import { ask, startupCommands } from "../state/store.ts";
import { copy } from "../ui/browser/clipboard.ts";
import { Button } from "../ui/button.tsx";
import { Pair, Section } from "../ui/detail-section.tsx";
import { IconButton } from "../ui/marks/icons.tsx";
import { ProcessChip } from "../ui/marks/state-mark.tsx";
import { clockTime, lasting } from "../ui/time.ts";
import { complain } from "../ui/toasts.ts";
import { CommandForm } from "./command-form.tsx";
import { DependencyGraph } from "./dependency-graph.tsx";
import { stateHistory } from "./state-history.ts";
import { StripLegend } from "./state-strip.tsx";
import { StateTimeline } from "./state-timeline.tsx";

type Detail = Extract<ManagerFrame, { type: "process_detail" }>;

interface Props {
  readonly process: Process;
  /** Sections of features. */
  readonly Sections: ComponentType<{ process: Process }>;
  readonly onClose: () => void;
}

/** Everything about a process: first its state, run and history, then its configuration. */
export function ProcessDetails({ process, Sections, onClose }: Props) {
  const detail = useDetail(process);
  return (
    <aside
      class="details process-details"
      aria-label={`Details of ${process.name}`}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header>
        <h2>Details</h2>
        <IconButton icon="close" label="Close the details" word="Close" onClick={onClose} />
      </header>
      <Section title="State">
        <State process={process} />
      </Section>
      <Section title={process.pid === null ? "Last run" : "Run"}>
        <Run process={process} />
      </Section>
      {process.pid !== null && (
        <Section title="Load">
          <Load name={process.name} />
        </Section>
      )}
      <Section title="History" beside={<StripLegend />}>
        {detail?.ok && <StateTimeline changes={stateHistory(detail, process.start_time)} />}
        {detail?.ok && detail.history.length > 0 && <RunTable history={detail.history} />}
      </Section>
      <Sections process={process} />
      <Section title="Dependencies">{detail?.ok && <DependencyGraph process={process} neededBy={detail.needed_by} />}</Section>
      <Section title="Command and options">
        <CommandForm key={process.name} process={process} />
      </Section>
      <StartupCommands name={process.name} />
      {detail?.ok && Object.keys(detail.environment).length > 0 && (
        <Section title="Environment">
          <dl class="pairs mono">
            {Object.entries(detail.environment).map(([name, value]) => (
              <Pair key={name} term={name}>
                {value}
              </Pair>
            ))}
          </dl>
        </Section>
      )}
    </aside>
  );
}

/** The state of a process and the reason for it. */
function State({ process }: { process: Process }) {
  const reason = reasonOf(process);
  return (
    <div class="state-now">
      <ProcessChip process={process} />
      {reason !== null && <p class={isTroubleState(shownState(process)) ? "warn" : ""}>{reason}</p>}
      {process.needs_restart && <p class="warn">Its configuration has changed since it was started. Restart it to apply the change.</p>}
    </div>
  );
}

function Run({ process }: { process: Process }) {
  return (
    <dl class="pairs">
      {process.start_time && <Pair term="Started">{`${clockTime(process.start_time)}, ${lasting(process.start_time)} ago`}</Pair>}
      {process.stop_time && <Pair term="Ended">{`${clockTime(process.stop_time)}, ${lasting(process.stop_time)} ago`}</Pair>}
      {process.exit && <Pair term="Last exit">{exitText(process)}</Pair>}
      <Pair term="Restarts">{String(process.restarts)}</Pair>
      {process.pid !== null && <Pair term="Pid">{String(process.pid)}</Pair>}
      <Pair term="Host">{process.node === process.host ? process.host : `${process.host} (node ${process.node})`}</Pair>
      {process.x_display && <Pair term="X display">{`${process.x_display} (${process.x_display_kind})`}</Pair>}
      <Pair term="Autostart">{process.autostart ? "yes" : "no"}</Pair>
    </dl>
  );
}

/** The load of a process and everything that it has started. */
function Load({ name }: { name: string }) {
  const load = loadOf([name]);
  return (
    <dl class="pairs">
      <Pair term="CPU">{load ? `${cpuOf(load)} of one CPU` : "not known yet"}</Pair>
      <Pair term="Memory">{load ? memoryOf(load) : "not known yet"}</Pair>
    </dl>
  );
}

/** The details of a process, requested again at each new run and change of state. */
function useDetail({ name, state, pid }: Process): Detail | null {
  const [detail, setDetail] = useState<Detail | null>(null);
  useEffect(() => {
    let gone = false;
    void state;
    void pid;
    ask({ type: "request_process_detail", name }, "process_detail")
      .then((came) => !gone && setDetail(came))
      .catch((error) => {
        console.info("no process details", error);
      });
    return () => {
      gone = true;
    };
  }, [name, state, pid]);
  return detail && "name" in detail && detail.name === name ? detail : null;
}

function RunTable({ history }: { history: Extract<Detail, { ok: true }>["history"] }) {
  return (
    <table class="runs">
      <thead>
        <tr>
          <th>Started</th>
          <th>Ended</th>
          <th>How</th>
        </tr>
      </thead>
      <tbody>
        {history.slice(0, 12).map((run) => (
          <tr key={run.run_id}>
            <td>{run.start_time ? clockTime(run.start_time) : "—"}</td>
            <td>{run.stop_time ? clockTime(run.stop_time) : "runs"}</td>
            <td>
              {run.stop_time
                ? exitText({ exit: { code: run.code, signal: run.signal, reason: run.reason, time: run.stop_time } })
                : `pid ${run.pid ?? ""}`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The shell lines that start the process by hand, on request. */
function StartupCommands({ name }: { name: string }) {
  const [lines, setLines] = useState<{ name: string; text: string } | null>(null);
  const load = async () => {
    const text = await startupCommands(name);
    if (text !== null) setLines({ name, text });
  };
  const shown = lines?.name === name ? lines.text : null;
  return (
    <Section title="Startup commands">
      {shown === null ? (
        <Button needsManager forbidden={refusalOf({ type: "dump_startup_commands", name })} onClick={() => void load().catch(complain)}>
          Show commands
        </Button>
      ) : (
        <div class="with-copy">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable) */}
          <pre class="quoted" tabIndex={0}>
            {shown}
          </pre>
          <IconButton icon="copy" label="Copy the commands" word="Copy" onClick={() => void copy(shown, "the commands")} />
        </div>
      )}
    </Section>
  );
}
