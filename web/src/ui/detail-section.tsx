import type { ComponentChildren } from "preact";

/** A section of the details of a process. */
export function Section({ title, beside, children }: { title: string; beside?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class="detail-section">
      <h2>{title}</h2>
      {beside}
      {children}
    </section>
  );
}

/** A term of a `dl` with the class `pairs`, and its value. */
export function Pair({ term, children }: { term: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
