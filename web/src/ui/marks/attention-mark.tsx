import { StateMark } from "./state-mark.tsx";

/** A triangle behind the name of a process that needs attention although its state is good. */
export function AttentionMark({ title }: { title: string }) {
  return (
    <span class="attention-mark" title={title}>
      <StateMark state="backoff" isPast label="Needs attention" />
    </span>
  );
}
