import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../../../src/base/errors.ts";
import { COMPARISON_WORDS, DIFFERENCES, GROUP_TITLES, SETTING_GROUPS } from "../../../../src/features/running-settings/rows.ts";
import type { RunningSetting, RunningSettings } from "../../../../src/features/running-settings/wire.ts";
import type { Process } from "../../../../src/protocol/resources/resources.ts";
import { refusalOf } from "../../state/access.ts";
import { ask, connection } from "../../state/store.ts";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/detail-section.tsx";

/** The settings that a process runs with, beside those that are configured: first those that differ, on request all. */
export function SettingsSection({ process }: { process: Process }) {
  const [isAll, setAll] = useState(false);
  const found = useSettings(process);
  if (process.pid === null || found === null) return null;
  if (typeof found === "string")
    return (
      <Section title="Running with">
        <p class="soft">{found}</p>
      </Section>
    );
  const differences = found.settings.filter(({ comparison }) => DIFFERENCES.has(comparison));
  return (
    <Section title="Running with">
      <Notes found={found} differences={differences.length} />
      {SETTING_GROUPS.map((group) => {
        const rows = (isAll ? found.settings : differences).filter((row) => row.group === group);
        return rows.length > 0 && <Group key={group} title={GROUP_TITLES[group]} rows={rows} />;
      })}
      <Button pressed={isAll} onClick={() => setAll(!isAll)}>
        {isAll ? "Show differences only" : `Show all ${found.settings.length}`}
      </Button>
    </Section>
  );
}

function Notes({ found: { environment, problem }, differences }: { found: RunningSettings; differences: number }) {
  return (
    <>
      <p class="soft">
        {differences === 0 ? "As its next start would be. " : `${differences} of its values differ from its next start. `}
        The environment is that with which its program was started.
      </p>
      {environment === "unreadable" && <p class="warn">Its environment cannot be read: the process belongs to another user.</p>}
      {environment === "cut" && <p class="warn">Its environment is longer than 256 KiB: only the first part was compared.</p>}
      {problem !== null && <p class="warn">The configured environment is not known: {problem}</p>}
    </>
  );
}

function Group({ title, rows }: { title: string; rows: readonly RunningSetting[] }) {
  return (
    <div class="running-settings">
      <h3>{title}</h3>
      <ul aria-label={title}>
        {rows.map((row) => (
          <Setting key={row.name} row={row} />
        ))}
      </ul>
    </div>
  );
}

function Setting({ row: { name, running, configured, comparison, reason } }: { row: RunningSetting }) {
  // A difference with a reason is expected.
  const isStriking = DIFFERENCES.has(comparison) && reason === null;
  return (
    <li>
      <span class="mono">{name}</span>{" "}
      <span class={isStriking ? "warn" : "soft"}>
        {COMPARISON_WORDS[comparison]}
        {reason !== null && `, ${reason}`}
      </span>
      {running !== null && <code>{running}</code>}
      {comparison !== "same" && configured !== null && (
        <>
          <span class="soft">configured</span> <code>{configured}</code>
        </>
      )}
    </li>
  );
}

/** The settings, requested again for each run and change of the configuration; the reason if there are none; null: not yet known. */
function useSettings({ name, pid, needs_restart }: Process): RunningSettings | string | null {
  const [found, setFound] = useState<{ name: string; pid: number | null; settings: RunningSettings | string } | null>(null);
  const isOpen = connection.value.kind === "open";
  const refusal = refusalOf({ type: "request_running_settings", name }, "Reading the settings");
  useEffect(() => {
    if (pid === null || !isOpen || refusal !== null) return;
    let isOver = false;
    void needs_restart;
    ask({ type: "request_running_settings", name }, "running_settings")
      .then((answer) => (answer.ok ? answer : answer.message), messageOf)
      .then((settings) => !isOver && setFound({ name, pid, settings }));
    return () => {
      isOver = true;
    };
  }, [name, pid, isOpen, needs_restart, refusal]);
  if (refusal !== null) return refusal;
  return found?.name === name && found.pid === pid ? found.settings : null;
}
