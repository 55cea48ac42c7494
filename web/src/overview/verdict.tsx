import { shownState } from "../../../src/client/shown/shown-state.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { restartFailed } from "../app/commands/commands.ts";
import { counts, hosts, processNames } from "../app/store.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { TROUBLE } from "./causes.ts";
import { RestartToApply } from "./restart-to-apply.tsx";

/** The first line: is everything all right, and what can be done about all of it at once. */
export function VerdictLine({ processes }: { processes: readonly Process[] }) {
  const failed = processes.filter((process) => shownState(process) === "error").length;
  return (
    <header class="verdict-line">
      <Verdict />
      <span class="verdict-actions">
        <RestartToApply processes={processes} />
        {failed > 0 && (
          <Button class="restart" needsManager title="Asks first" onClick={restartFailed}>
            <Icon name="restart" />
            Restart all failed ({failed})
          </Button>
        )}
      </span>
    </header>
  );
}

function Verdict() {
  const count = (...states: readonly (typeof TROUBLE)[number][]) => states.reduce((sum, state) => sum + (counts.value.get(state) ?? 0), 0);
  const failed = count("error", "backoff");
  const trouble = count(...TROUBLE);
  const away = hosts.value.filter((host) => !host.daemon_ready).length;
  const kind = failed + away > 0 ? "bad" : trouble > 0 ? "busy" : "good";
  const text =
    failed > 0
      ? `${failed} ${failed === 1 ? "process needs" : "processes need"} attention.`
      : away > 0
        ? `${away} ${away === 1 ? "host is" : "hosts are"} not connected.`
        : trouble > 0
          ? `${trouble} ${trouble === 1 ? "process is" : "processes are"} starting or stopping.`
          : processNames.value.length === 0
            ? "No processes are configured."
            : "No problems.";
  const mark = failed > 0 ? (count("error") > 0 ? "error" : "backoff") : away > 0 ? "lost" : kind === "busy" ? "starting" : "ready";
  return (
    <h1 class={`verdict ${kind}`}>
      <StateMark state={mark} />
      {text}
    </h1>
  );
}
