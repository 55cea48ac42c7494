import { Icon } from "../ui/icons.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { type ConfigFile, shortPath } from "./config-files.tsx";
import { problemCount, type ShownProblem } from "./problems.ts";

interface Props {
  problems: readonly ShownProblem[];
  files: readonly ConfigFile[];
  /** What the problems prevented, such as "Not saved". */
  refusal: string | null;
  isOpen: boolean;
  onToggle: () => void;
  onGo: (problem: ShownProblem) => void;
}

/** All problems of the configuration: a line that is always there, and below it the list. */
export function ProblemsPanel({ problems, files, refusal, isOpen, onToggle, onGo }: Props) {
  const hasErrors = problems.some(({ severity }) => severity === "error");
  return (
    <section class="problems" aria-label="Problems of the configuration">
      <button type="button" class="problems-head" aria-expanded={isOpen} onClick={onToggle}>
        <Icon name={isOpen ? "down" : "next"} />
        <b>Problems</b>
        <span role="status" class={hasErrors ? "bad" : problems.length > 0 ? "warn" : "soft"}>
          {refusal !== null && problems.length > 0 && `${refusal}: `}
          {problemCount(problems)}
        </span>
      </button>
      {isOpen && (
        <ul aria-label="Problems" onKeyDown={moveFocus}>
          {problems.length === 0 && <li class="soft none">No problems have been found.</li>}
          {problems.map((problem) => (
            <li key={`${problem.path}:${problem.line}:${problem.column}:${problem.message}`}>
              <button type="button" class="flat problem" onClick={() => onGo(problem)}>
                <StateMark state={problem.severity === "error" ? "error" : "backoff"} label={problem.severity} />
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

/** Up and Down go from problem to problem. */
function moveFocus(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("button")];
  const next = step && rows[rows.indexOf(document.activeElement as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
