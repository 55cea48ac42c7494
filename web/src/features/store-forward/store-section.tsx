import { useEffect, useState } from "preact/hooks";
import { bytesText } from "../../../../src/client/shown/units.ts";
import { keptText } from "../../../../src/features/store-forward/kept-text.ts";
import type { AnswerOf } from "../../../../src/protocol/frames/frames.ts";
import { ask } from "../../state/store.ts";
import { isConnected } from "../../ui/connected.ts";

/** Pause between two requests, milliseconds. */
const REFRESH_MS = 2_000;

type Kept = AnswerOf<"request_kept_samples">;

/** Samples of a topic that hosts keep because of a cut link; nothing for a topic that is not stored and forwarded. */
export function StoreSection({ topic }: { topic: string }) {
  const kept = useKept(topic);
  if (kept === null || !(kept.is_named || kept.topics.length > 0)) return null;
  return (
    <section class="detail-section">
      <h2>Store and forward</h2>
      {kept.topics.length === 0 && <p>Kept while the link of its host is cut. No samples were kept.</p>}
      {kept.topics.map((one) => (
        <p key={one.host} class={one.dropped > 0 ? "bad" : ""}>
          {one.host}: {keptText(one)} {one.samples > 0 && <span class="soft">{bytesText(one.bytes)}</span>}
        </p>
      ))}
      {kept.away.length > 0 && <p class="soft">Hosts that cannot be reached: {kept.away.join(", ")}. They may keep samples.</p>}
    </section>
  );
}

/** Asks again while the page is visible and there may be something to show; null: nothing is known. */
function useKept(name: string): Kept | null {
  const [kept, setKept] = useState<Kept | null>(null);
  const isOpen = isConnected.value;
  useEffect(() => {
    if (!isOpen) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const request = async () => {
      let isShown = true;
      try {
        if (!document.hidden) {
          const answer = await ask({ type: "request_kept_samples", name }, "kept_samples");
          isShown = answer.is_named || answer.topics.length > 0;
          if (!isOver) setKept(answer);
        }
      } catch (error) {
        console.info(`the kept samples of ${name} are not known`, error);
      }
      if (!isOver && isShown) timer = setTimeout(request, REFRESH_MS);
    };
    void request();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [name, isOpen]);
  return kept;
}
