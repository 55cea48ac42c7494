import { shownState } from "../../../src/client/shown/shown-state.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { isTrouble } from "../actions/actions.ts";
import { failedOnes, forbiddenOf, restartFailed } from "../actions/commands.ts";
import { RestartToApply } from "../process/restart-to-apply.tsx";
import { needsAttention } from "../state/attention.ts";
import { counts, hosts, processNames, processOf } from "../state/store.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/marks/icons.tsx";
import { StateMark } from "../ui/marks/state-mark.tsx";
import { verdictOf } from "./verdict-text.ts";

/** The first line: whether everything is all right, and actions on all affected processes at once. */
export function VerdictLine({ processes }: { processes: readonly Process[] }) {
  const failed = processes.filter((process) => shownState(process) === "error").length;
  return (
    <header class="verdict-line">
      <Verdict />
      <span class="verdict-actions">
        <RestartToApply processes={processes} />
        {failed > 0 && (
          <Button class="restart" needsManager title="Asks first" forbidden={forbiddenOf("start", failedOnes())} onClick={restartFailed}>
            <Icon name="restart" />
            Restart all failed ({failed})
          </Button>
        )}
      </span>
    </header>
  );
}

function Verdict() {
  const away = hosts.value.filter((host) => !host.daemon_ready).length;
  const { kind, mark, text } = verdictOf({
    counts: counts.value,
    away,
    noticed: processNames.value.filter((name) => needsAttention(name) && !isTrouble(processOf(name))).length,
    processes: processNames.value.length,
  });
  return (
    <h1 class={`verdict ${kind}`}>
      <StateMark state={mark} />
      {text}
    </h1>
  );
}
