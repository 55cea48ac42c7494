import type { Process } from "../../../src/protocol/resources/resources.ts";
import { linkTo } from "../app/navigation.ts";
import { ProcessMark } from "../ui/state-mark.tsx";
import { TerminalBox } from "./terminal-box.tsx";

/** Terminals drawn at once; more would take a second each to draw. */
const MOST_TERMINALS = 16;

export function TerminalGrid({ members }: { members: Process[] }) {
  const shown = members.slice(0, MOST_TERMINALS);
  return (
    <>
      <div class="terminal-grid" style={{ "--columns": String(Math.max(1, Math.round(Math.sqrt(shown.length)))) }}>
        {shown.map((process) => (
          <section key={process.name} class="cell" aria-label={`Process ${process.name}`}>
            <header>
              <ProcessMark process={process} />
              <a class="member" {...linkTo({ kind: "process", name: process.name })} title={process.name}>
                {process.name}
              </a>
            </header>
            <TerminalBox name={process.name} webgl={false} />
          </section>
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
