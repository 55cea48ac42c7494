/** A dot beside a name. It takes no room, so that nothing moves when it appears. */
export function MarkDot({ text }: { text: string }) {
  return <span class="mark-dot" role="img" aria-label={text} title={text} />;
}
