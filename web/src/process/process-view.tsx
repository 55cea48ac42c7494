import type { ComponentType } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { isLost, shownState } from "../../../src/client/shown/shown-state.ts";
import { type Process, SIGNALS, type Signal } from "../../../src/protocol/resources/resources.ts";
import { isTroubleState } from "../actions/actions.ts";
import { canDo, type Verb } from "../actions/command-effects.ts";
import { forbiddenOf, requestByClick } from "../actions/commands.ts";
import { refusalOf } from "../state/access.ts";
import { attentionOf } from "../state/attention.ts";
import type { Pane } from "../state/layout.ts";
import { useLoads } from "../state/loads.ts";
import { poppedOut, show, showProcess, toggleDetails } from "../state/navigation.ts";
import { reasonOf } from "../state/status-reason.ts";
import { command, isLoaded, processOf } from "../state/store.ts";
import { viewOfPid, viewRefusal } from "../state/views.ts";
import { KeyBar } from "../terminal/input/key-bar.tsx";
import { SearchBar } from "../terminal/places/search-bar.tsx";
import type { OpenTerminal, ShownSize } from "../terminal/terminal.ts";
import { offerTerminal } from "../terminal/terminal-actions.ts";
import { TerminalBox } from "../terminal/terminal-box.tsx";
import { typingRefusal } from "../terminal/terminal-refusals.ts";
import { TerminalTools } from "../terminal/terminal-tools.tsx";
import { hasTouchKeys } from "../ui/browser/screen.ts";
import { Button } from "../ui/button.tsx";
import { isConnected } from "../ui/connected.ts";
import type { IconName } from "../ui/marks/icon-paths.ts";
import { Icon, IconButton } from "../ui/marks/icons.tsx";
import { ProcessChip } from "../ui/marks/state-mark.tsx";
import { Name } from "../ui/name.tsx";
import { lasting } from "../ui/time.ts";
import { LoadText } from "./load-text.tsx";
import { ProcessDetails } from "./process-details.tsx";
import { RestartToApply } from "./restart-to-apply.tsx";

interface Props {
  readonly name: string;
  readonly pane: Pane;
  /** Buttons of features. */
  readonly More: ComponentType<{ process: Process }>;
  /** Facts of features in the status line of a process that runs. */
  readonly MoreFacts: ComponentType<{ process: Process }>;
  /** Sections of features in the details. */
  readonly Sections: ComponentType<{ process: Process }>;
}

type KnownProps = Omit<Props, "name"> & { readonly process: Process };

export function ProcessView({ name, ...rest }: Props) {
  const process = processOf(name);
  if (!process) return isLoaded.value ? <p class="empty nothing">There is no process “{name}”.</p> : null;
  return <KnownProcess process={process} {...rest} />;
}

function KnownProcess({ process, pane, More, MoreFacts, Sections }: KnownProps) {
  const { name } = process;
  const header = useRef<HTMLElement>(null);
  const closeDetails = () => {
    toggleDetails(pane.id);
    header.current?.querySelector<HTMLElement>(".details-button")?.focus();
  };
  useLoads(name);
  const [size, setSize] = useState<ShownSize | null>(null);
  const [terminal, setTerminal] = useState<OpenTerminal | null>(null);
  /** Number of requests for the search bar; each request gives it the focus. 0: it is closed. */
  const [searches, setSearches] = useState(0);
  const search = () => setSearches((before) => before + 1);
  const [follows, setFollows] = useState(true);
  const [paused, setPaused] = useState(false);
  const [hasRuns, setHasRuns] = useState(false);
  const togglePause = () => {
    terminal?.setPaused(!paused);
    setPaused(!paused);
  };
  useLayoutEffect(() => offerTerminal(name, { terminal, search, togglePause }));
  return (
    <section class="process" aria-label={`Process ${name}`}>
      <header class="bar" ref={header}>
        <h1 title={name} aria-label={name}>
          <Name name={name} />
        </h1>
        <ProcessChip process={process} />
        <Buttons process={process} pane={pane} More={More} />
      </header>
      <div class="status-line">
        <StatusReasonText process={process} />
        <Attention name={name} />
        <Facts process={process} More={MoreFacts} />
        <RestartToApply processes={[process]} />
      </div>
      <div class="process-body">
        <div class="terminal-side">
          {searches > 0 && (
            <SearchBar
              terminal={terminal}
              asked={searches}
              onClose={() => {
                setSearches(0);
                terminal?.endFind();
              }}
            />
          )}
          <TerminalBox
            name={name}
            webgl
            onSize={setSize}
            onOpen={(opened) => {
              setTerminal(opened);
              setPaused(false);
              setFollows(true);
              setHasRuns(false);
            }}
            onSearchRequested={search}
            onFollow={setFollows}
            onRuns={() => setHasRuns(true)}
          />
          {(paused || !follows) && (
            <button type="button" class="to-end" onClick={() => (paused ? togglePause() : terminal?.toEnd())}>
              <Icon name={paused ? "start" : "toEnd"} />
              {paused ? "Paused, resume" : "Scroll to bottom"}
            </button>
          )}
          <TerminalTools
            process={process}
            size={size}
            terminal={terminal}
            paused={paused}
            hasRuns={hasRuns}
            onPause={togglePause}
            onSearch={() => (searches > 0 ? setSearches(0) : search())}
          />
          {hasTouchKeys.value && typingRefusal(name) === null && <KeyBar terminal={terminal} />}
        </div>
        {pane.details && <ProcessDetails process={process} Sections={Sections} onClose={closeDetails} />}
      </div>
    </section>
  );
}

function Facts({ process, More }: { process: Process; More: ComponentType<{ process: Process }> }) {
  const isAlive = process.pid !== null;
  return (
    <span class="facts">
      {isAlive && <span>pid {process.pid}</span>}
      {isAlive && process.start_time && <span>up {lasting(process.start_time)}</span>}
      {process.restarts > 0 && (
        <span>
          {process.restarts} {process.restarts === 1 ? "restart" : "restarts"}
        </span>
      )}
      {process.current_alternate_command !== "default" && !process.needs_restart && <span>{process.current_alternate_command}</span>}
      {isAlive && <LoadText names={[process.name]} />}
      {isAlive && <More process={process} />}
      {!process.host_ready && !isLost(process) && <span class="warn">host {process.host} is not connected</span>}
    </span>
  );
}

const WORDS = { start: "Start", stop: "Stop", restart: "Restart" } as const;

/** The verbs of the two buttons: a process that runs or has failed is restarted. */
function verbsOf(process: Process): readonly [Verb, Verb] {
  const isRestart = !canDo("start", process) || process.state === "error" || process.state === "backoff";
  return [isRestart ? "restart" : "start", "stop"];
}

function Buttons({ process, pane, More }: Omit<KnownProps, "Sections" | "MoreFacts">) {
  const { name } = process;
  const isAlive = process.pid !== null;
  const noSignal = refusalOf({ type: "send_signal", name }, "Sending a signal");
  const canSignal = isAlive && isConnected.value && noSignal === null;
  const threads = viewOfPid(process.host, process.pid ?? 0);
  return (
    <span class="actions">
      {verbsOf(process).map((verb) => (
        <Button
          // One key for start and restart: the button keeps the focus, and its place, when its verb changes.
          key={verb === "stop" ? "end" : "begin"}
          class={`verb ${verb}`}
          needsManager
          enabled={canDo(verb, process)}
          forbidden={forbiddenOf(verb, { kind: "process", name })}
          onClick={(event) => requestByClick(event, verb, { kind: "process", name })}
        >
          <Icon name={verb satisfies IconName} />
          <span class="word">{WORDS[verb]}</span>
        </Button>
      ))}
      <select
        class="signals"
        aria-label="Send a signal"
        title={noSignal ?? "Send a signal to the main process"}
        aria-disabled={canSignal ? undefined : true}
        onChange={(event) => {
          const signal = event.currentTarget.value as Signal | "";
          event.currentTarget.selectedIndex = 0;
          if (signal !== "") void command({ type: "send_signal", name, signal });
        }}
      >
        {/* Neither disabled nor hidden: browsers would not select it, and show an empty box. */}
        <option value="" selected>
          Signal
        </option>
        {SIGNALS.map((signal) => (
          <option key={signal} value={signal} disabled={!canSignal}>
            {signal}
          </option>
        ))}
      </select>
      <More process={process} />
      {threads !== null && !poppedOut && (
        <IconButton
          class="threads"
          icon="table"
          label="Processes and threads"
          word="Threads"
          enabled={isAlive}
          forbidden={viewRefusal(threads)}
          onClick={() => show(threads)}
        />
      )}
      <IconButton
        icon="details"
        class="details-button"
        label="Details  d"
        pressed={pane.details === true}
        onClick={() => toggleDetails(pane.id)}
      />
    </span>
  );
}

/** Why the process needs attention although its state may be good. */
function Attention({ name }: { name: string }) {
  return attentionOf(name).map(({ text, dismiss, forbidden }) => (
    <span key={text} class="noticed">
      <p class="why warn" title={text}>
        {text}
      </p>
      <Button needsManager forbidden={forbidden} label={`Dismiss the alert of ${name}`} onClick={dismiss}>
        Dismiss
      </Button>
    </span>
  ));
}

/** The reason for the state, visible at once; the names of processes that it waits for are links. */
function StatusReasonText({ process }: { process: Process }) {
  const text = reasonOf(process);
  if (text === null) return null;
  const state = shownState(process);
  if (state === "waiting" && process.waiting_for.length > 0) {
    return (
      <p class="why">
        Waiting for{" "}
        {process.waiting_for.map((name) => (
          <button key={name} type="button" class="linklike" onClick={() => showProcess(name)}>
            {name}
          </button>
        ))}
      </p>
    );
  }
  return (
    <p title={text} class={`why ${state === "error" ? "bad" : isTroubleState(state) ? "warn" : ""}`}>
      {text}
    </p>
  );
}
