import type { ConfigFileProblem } from "../../../src/protocol/resources/resources.ts";
import { Icon } from "../ui/marks/icons.tsx";
import { StateMark } from "../ui/marks/state-mark.tsx";
import { type ConfigFile, shortPath } from "./config-files.tsx";
import { problemCount } from "./problems.ts";

interface Props {
  /** Null until the first check has ended. */
  problems: readonly ConfigFileProblem[] | null;
  /** Whether only the syntax was checked, by the page. */
  isSyntaxOnly: boolean;
  files: readonly ConfigFile[];
  /** The action that the problems prevented, such as "Not saved". */
  refusal: string | null;
  isOpen: boolean;
  onToggle: () => void;
  onGo: (problem: ConfigFileProblem) => void;
}

/** All problems of the configuration: a summary line that is always visible, and the list below it. */
export function ProblemsPanel({ problems, isSyntaxOnly, files, refusal, isOpen, onToggle, onGo }: Props) {
  const count = problems?.length ?? 0;
  return (
    <section class="problems" aria-label="Problems of the configuration">
      <button type="button" class="problems-head" aria-expanded={isOpen} onClick={onToggle}>
        <Icon name={isOpen ? "down" : "next"} />
        <b>Problems</b>
        <span role="status" class={count > 0 ? "bad" : "soft"}>
          {refusal !== null && count > 0 && `${refusal}: `}
          {problems === null ? "Checking…" : problemCount(count)}
        </span>
        {isSyntaxOnly && <span class="soft">Only the YAML syntax is checked</span>}
      </button>
      {isOpen && (
        <ul aria-label="Problems" onKeyDown={moveFocus}>
          {count === 0 && <li class="soft none">No problems have been found.</li>}
          {problems?.map((problem) => (
            <li key={`${problem.path}:${problem.line}:${problem.column}:${problem.message}`}>
              <button type="button" class="flat problem" onClick={() => onGo(problem)}>
                <StateMark state="error" label="error" />
                <span class="problem-text">{problem.message}</span>
                <span class="problem-place">
                  {shortPath(problem.path, files)}:{problem.line}:{problem.column}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Moves the focus between problems on Up and Down. */
function moveFocus(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("button")];
  const next = step && rows[rows.indexOf(document.activeElement as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
