import { useState } from "preact/hooks";
import { shownState } from "../../../src/client/shown/shown-state.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { canDo } from "../actions/command-effects.ts";
import { forbiddenOf, requestByClick } from "../actions/commands.ts";
import { linkTo } from "../state/navigation.ts";
import { reasonOf } from "../state/status-reason.ts";
import { TerminalBox } from "../terminal/terminal-box.tsx";
import { rowItems } from "../tree/row-menu.tsx";
import { isNarrow } from "../ui/browser/screen.ts";
import { IconButton } from "../ui/marks/icons.tsx";
import { ProcessMark } from "../ui/marks/state-mark.tsx";
import { MenuButton } from "../ui/menu.tsx";
import { Name } from "../ui/name.tsx";

/** Maximum number of terminals that are drawn at once: more would take a second each to draw. */
const MAX_TERMINALS = 16;

/** Terminals of many processes side by side; `below`: the group that is omitted from their names. */
export function TerminalGrid({ members, below }: { members: readonly Process[]; below: string }) {
  const [enlarged, setEnlarged] = useState<string | null>(null);
  const shown = members.slice(0, MAX_TERMINALS);
  const one = shown.some(({ name }) => name === enlarged) ? enlarged : null;
  return (
    <>
      <div
        class={`terminal-grid ${one === null ? "" : "enlarged"}`}
        style={{ "--columns": String(Math.max(1, Math.round(Math.sqrt(shown.length)))) }}
      >
        {shown.map((process) => (
          <Tile
            key={process.name}
            process={process}
            below={below}
            isHidden={one !== null && one !== process.name}
            isEnlarged={one === process.name}
            onEnlarge={() => setEnlarged(one === process.name ? null : process.name)}
          />
        ))}
      </div>
      {members.length > shown.length && (
        <p class="soft note">
          The first {shown.length} of {members.length}; the table has all.
        </p>
      )}
    </>
  );
}

interface TileProps {
  process: Process;
  below: string;
  /** Whether another terminal is enlarged; this one is kept. */
  isHidden: boolean;
  isEnlarged: boolean;
  onEnlarge: () => void;
}

function Tile({ process, below, isHidden, isEnlarged, onEnlarge }: TileProps) {
  const { name } = process;
  const shortName = below === "" ? name : name.slice(below.length + 1);
  const state = shownState(process);
  const verb = canDo("start", process) ? "start" : "stop";
  const word = verb === "start" ? "Start" : "Stop";
  const reason = reasonOf(process);
  return (
    <section class={`cell cell-${state}`} aria-label={`Process ${name}`} hidden={isHidden}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: for the mouse; the keyboard has the buttons in it */}
      <header
        onDblClick={onEnlarge}
        onKeyDown={(event) => {
          if (event.key === "Escape" && isEnlarged) onEnlarge();
        }}
      >
        <ProcessMark process={process} />
        <a class="member" {...linkTo({ kind: "process", name }, shortName)} title={name}>
          <Name name={shortName} />
        </a>
        <span class="cell-reason soft" title={reason ?? undefined}>
          {reason}
        </span>
        {isNarrow.value ? (
          <MenuButton label={`More actions of ${name}`} items={rowItems(name)} />
        ) : (
          <IconButton
            icon={verb}
            class={verb}
            needsManager
            enabled={canDo(verb, process)}
            forbidden={forbiddenOf(verb, { kind: "process", name })}
            label={`${word} ${name}`}
            word={word}
            onClick={(event) => requestByClick(event, verb, { kind: "process", name })}
          />
        )}
        <IconButton
          icon={isEnlarged ? "shrink" : "enlarge"}
          word={isEnlarged ? "Back" : "Enlarge"}
          label={isEnlarged ? `Back to all terminals  Esc` : `Enlarge ${name}`}
          pressed={isEnlarged}
          onClick={onEnlarge}
        />
      </header>
      <TerminalBox name={name} webgl={false} />
    </section>
  );
}
