import type { ComponentType } from "preact";
import { findGroup } from "../../../src/client/mirror.ts";
import { isCompleted, isFine, shownGroupState, shownState, wordOf } from "../../../src/client/shown/shown-state.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { processesOf, progressOf } from "../actions/actions.ts";
import { canDo } from "../actions/command-effects.ts";
import { forbiddenOf, request, type Target } from "../actions/commands.ts";
import type { ProcessCurve } from "../actions/page-feature.ts";
import { LoadText } from "../process/load-text.tsx";
import { RestartToApply } from "../process/restart-to-apply.tsx";
import { useLoads } from "../state/loads.ts";
import { groupStyle } from "../state/settings.ts";
import { allProcesses, isLoaded, tree } from "../state/store.ts";
import { Button } from "../ui/button.tsx";
import { Icon, IconButton } from "../ui/marks/icons.tsx";
import { StateChip } from "../ui/marks/state-mark.tsx";
import { Name } from "../ui/name.tsx";
import { MemberTable } from "./member-table.tsx";
import { TerminalGrid } from "./terminal-grid.tsx";

interface Additions {
  /** Buttons of features; `name` is empty for all processes. */
  readonly More: ComponentType<{ name: string }>;
  readonly curves: readonly ProcessCurve[];
}

export function GroupView({ name, ...additions }: Additions & { name: string }) {
  const node = findGroup(tree.value, name);
  if (!node) return isLoaded.value ? <p class="empty nothing">There is no group “{name}”.</p> : null;
  const path = name.slice(0, name.lastIndexOf("/") + 1);
  return (
    <Members
      label={`Group ${name}`}
      path={path}
      title={node.display_name}
      below={name}
      members={processesOf(node)}
      target={{ kind: "group", name }}
      {...additions}
    />
  );
}

/** All processes, as if they were one group. */
export function AllView(additions: Additions) {
  if (!isLoaded.value) return null;
  return (
    <Members
      label="All processes"
      path=""
      title="All processes"
      below=""
      members={allProcesses()}
      target={{ kind: "all" }}
      {...additions}
    />
  );
}

interface MembersProps extends Additions {
  label: string;
  path: string;
  title: string;
  /** The group that is omitted from the names of members. */
  below: string;
  members: readonly Process[];
  target: Target;
}

function Members({ label, path, title, below, members, target, More, curves }: MembersProps) {
  useLoads(target.kind === "group" ? target.name : undefined);
  return (
    <section class="group" aria-label={label}>
      <header class="bar">
        <h1 title={`${path}${title}`} aria-label={`${path}${title}`}>
          <Name name={`${path}${title}`} />
        </h1>
        <StateChip state={shownGroupState(members)} />
        <span class="actions">
          <Button
            class="start"
            needsManager
            enabled={members.some((one) => canDo("start", one))}
            forbidden={forbiddenOf("start", target)}
            onClick={() => void request("start", target)}
          >
            <Icon name="start" />
            <span class="word">Start all</span>
          </Button>
          <Button
            class="stop"
            needsManager
            enabled={members.some((one) => canDo("stop", one))}
            forbidden={forbiddenOf("stop", target)}
            onClick={() => void request("stop", target)}
          >
            <Icon name="stop" />
            <span class="word">Stop all</span>
          </Button>
          <Button
            class="restart"
            needsManager
            enabled={members.length > 0}
            forbidden={forbiddenOf("restart", target)}
            onClick={() => void request("restart", target)}
          >
            <Icon name="restart" />
            <span class="word">Restart all</span>
          </Button>
          <More name={below} />
          <IconButton
            icon="table"
            label="Show as table"
            word="Table"
            pressed={groupStyle.value === "table"}
            onClick={() => {
              groupStyle.value = "table";
            }}
          />
          <IconButton
            icon="grid"
            label="Show as terminals"
            word="Terminals"
            pressed={groupStyle.value === "terminals"}
            onClick={() => {
              groupStyle.value = "terminals";
            }}
          />
        </span>
      </header>
      <Progress members={members} />
      {groupStyle.value === "table" ? (
        <MemberTable below={below} members={members} curves={curves} />
      ) : (
        <TerminalGrid members={members} below={below} />
      )}
    </section>
  );
}

/** Number of running members; while some start or stop, how many are done, and what the group waits for. Always one line: nothing moves. */
function Progress({ members }: { members: readonly Process[] }) {
  const coming = members.filter((one) => progressOf(one) === "coming");
  if (coming.length === 0)
    return (
      <div class="status-line facts">
        {fineText(members)}
        <LoadText names={members.map(({ name }) => name)} />
        <RestartToApply processes={members} />
      </div>
    );
  const done = members.filter((one) => progressOf(one) === "there").length;
  const named = coming
    .slice(0, 3)
    .map((one) =>
      one.waiting_for[0] ? `${one.display_name} (for ${one.waiting_for[0]})` : `${one.display_name} (${wordOf(shownState(one))})`,
    );
  return (
    <div class="status-line">
      <progress max={members.length} value={done} aria-label="Progress of the group" />
      <span class="why">
        {done} of {members.length}; waiting for {named.join(", ")}
        {coming.length > named.length && ` and ${coming.length - named.length} more`}
      </span>
      <LoadText names={members.map(({ name }) => name)} />
      <RestartToApply processes={members} />
    </div>
  );
}

/** A job that has completed counts like a process that runs. */
function fineText(members: readonly Process[]): string {
  const fine = members.filter(isFine);
  const completed = fine.filter(isCompleted).length;
  const all = `${fine.length} of ${members.length}`;
  if (completed === 0) return `${all} running`;
  return completed === fine.length ? `${all} completed` : `${all}: ${fine.length - completed} running, ${completed} completed`;
}
