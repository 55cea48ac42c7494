import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../../../src/base/errors.ts";
import {
  coreText,
  endText,
  facts,
  kernelTexts,
  limitText,
  type NumberedReport,
  readable,
  reportText,
  versionFacts,
} from "../../../../src/features/crash-reports/client/report-text.ts";
import { refusalOf } from "../../state/access.ts";
import { linkTo, show } from "../../state/navigation.ts";
import { ask, command, frames$ } from "../../state/store.ts";
import type { ViewOf } from "../../state/views.ts";
import { downloadBlob, downloadText } from "../../ui/browser/download.ts";
import { Button } from "../../ui/button.tsx";
import { Pair, Section } from "../../ui/detail-section.tsx";
import { Icon } from "../../ui/marks/icons.tsx";
import { request, useCrashes } from "./crash-store.ts";
import { LoadCharts } from "./load-charts.tsx";

type Opened = { kind: "opening" } | { kind: "failed"; problem: string } | { kind: "open"; report: NumberedReport };

/** One crash report, and the way to the others of the process. */
export function CrashView({ view }: { view: ViewOf<"crash"> }) {
  const { name } = view;
  const opened = useReport(view);
  return (
    <section class="crash" aria-label={`Crash of ${name}`}>
      <header class="bar">
        <h1>
          Crash of <a {...linkTo({ kind: "process", name })}>{name}</a>
        </h1>
        {opened.kind === "open" && <Tools report={opened.report} />}
      </header>
      <Others view={view} />
      {opened.kind === "opening" && <p class="empty nothing">Loading …</p>}
      {opened.kind === "failed" && (
        <p class="empty nothing" role="alert">
          {opened.problem}
        </p>
      )}
      {opened.kind === "open" && <Report report={opened.report} />}
    </section>
  );
}

/** The report, requested again when a backtrace was added to it, and after a reconnect. */
function useReport({ name, run }: ViewOf<"crash">): Opened {
  const [opened, setOpened] = useState<Opened>({ kind: "opening" });
  useEffect(() => {
    let isOver = false;
    const load = async () => {
      try {
        const answer = await ask({ type: "request_crash_report", name, run_id: run }, "crash_report");
        if (isOver) return;
        setOpened(answer.ok ? { kind: "open", report: answer.report } : { kind: "failed", problem: answer.message });
      } catch (error) {
        if (!isOver) setOpened((before) => (before.kind === "open" ? before : { kind: "failed", problem: messageOf(error) }));
      }
    };
    setOpened({ kind: "opening" });
    void load();
    const frames = frames$.subscribe((frame) => {
      if (frame.type === "snapshot" || (frame.type === "crash_report_made" && frame.report.name === name && frame.report.run_id === run))
        void load();
    });
    return () => {
      isOver = true;
      frames.unsubscribe();
    };
  }, [name, run]);
  return opened;
}

function Tools({ report }: { report: NumberedReport }) {
  const { name, run_id } = report;
  const file = `crash-${name.replace(/[^\w.-]+/g, "-")}-${run_id}`;
  const remove = async () => {
    if (!(await command({ type: "delete_crash_reports", name, run_ids: [run_id] }))) return;
    request(name);
    show({ kind: "process", name });
  };
  return (
    <span class="actions">
      <Button onClick={() => downloadText(reportText(report), "text/plain", `${file}.txt`)}>
        <Icon name="download" /> Text
      </Button>
      <Button
        onClick={() => downloadBlob(new Blob([`${JSON.stringify(report, null, 2)}\n`], { type: "application/json" }), `${file}.json`)}
      >
        <Icon name="download" /> JSON
      </Button>
      <Button needsManager forbidden={refusalOf({ type: "delete_crash_reports", name }, "Deleting")} onClick={() => void remove()}>
        Delete
      </Button>
    </span>
  );
}

/** The reports before and after this one. */
function Others({ view: { name, run } }: { view: ViewOf<"crash"> }) {
  const crashes = useCrashes(name);
  const index = crashes.findIndex(({ run_id }) => run_id === run);
  const [newer, older] = [index > 0 ? crashes[index - 1] : undefined, index < 0 ? undefined : crashes[index + 1]];
  if (crashes.length < 2) return null;
  return (
    <nav class="crash-others" aria-label="Other crashes of this process">
      {older && <a {...linkTo({ kind: "crash", name, run: older.run_id })}>Earlier crash</a>}
      {index >= 0 && (
        <span class="soft">
          {crashes.length - index} of {crashes.length}
        </span>
      )}
      {newer && <a {...linkTo({ kind: "crash", name, run: newer.run_id })}>Later crash</a>}
      {index < 0 && crashes[0] && <a {...linkTo({ kind: "crash", name, run: crashes[0].run_id })}>Newest crash</a>}
    </nav>
  );
}

function Report({ report }: { report: NumberedReport }) {
  const { output, resources, resources_problem, limits, backtrace, backtrace_problem } = report;
  const core = coreText(report);
  return (
    <div class="crash-report">
      <p class="crash-end bad">{endText(report)}</p>
      <Pairs rows={facts(report)} />
      {output && (
        <Section title={output.truncated ? "Last output (the newest part)" : "Last output"}>
          <Quoted>{readable(output.text)}</Quoted>
        </Section>
      )}
      {(backtrace !== null || backtrace_problem !== null) && (
        <Section title="Backtrace">
          {backtrace === null ? (
            <p class="soft">{backtrace_problem}</p>
          ) : (
            <Quoted>{readable(backtrace.text) + (backtrace.truncated ? "\n…" : "")}</Quoted>
          )}
        </Section>
      )}
      <Section title="Kernel">
        {kernelTexts(report).map((text) => (
          <p key={text} class="crash-line">
            {text}
          </p>
        ))}
      </Section>
      {core !== null && (
        <Section title="Core dump">
          <p class="crash-line">{core}</p>
        </Section>
      )}
      <Section title="Load of the last ten minutes">
        {resources === null ? <p class="soft">{resources_problem}</p> : <LoadCharts resources={resources} />}
      </Section>
      {limits && (
        <Section title="Limits">
          <dl class="pairs">
            {Object.entries(limits).map(([name, { soft, hard }]) => (
              <Pair key={name} term={name}>
                {soft === hard ? limitText(soft) : `${limitText(soft)}, at most ${limitText(hard)}`}
              </Pair>
            ))}
          </dl>
        </Section>
      )}
      <Section title="Versions">
        <Pairs rows={versionFacts(report)} />
      </Section>
    </div>
  );
}

function Pairs({ rows }: { rows: readonly (readonly [term: string, value: string])[] }) {
  return (
    <dl class="pairs">
      {rows.map(([term, value]) => (
        <Pair key={term} term={term}>
          {value}
        </Pair>
      ))}
    </dl>
  );
}

function Quoted({ children }: { children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable)
    <pre class="quoted" tabIndex={0}>
      {children}
    </pre>
  );
}
