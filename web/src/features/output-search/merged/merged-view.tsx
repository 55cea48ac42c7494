import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isWithin } from "../../../../../src/base/text/names.ts";
import { isLoaded, processNames } from "../../../state/store.ts";
import type { ViewOf } from "../../../state/views.ts";
import { ALL } from "../views.ts";
import { useMergedOptions } from "./merged-address.ts";
import { MergedBar } from "./merged-bar.tsx";
import { MergedRows } from "./merged-rows.tsx";
import { MergedStore } from "./merged-store.ts";

/** The output of a group, or of all processes, in the order of time, live. */
export function MergedView({ view: { of } }: { view: ViewOf<"merged"> }) {
  const [options, setOptions] = useMergedOptions(of);
  const store = useRef<MergedStore | null>(null);
  store.current ??= new MergedStore();
  const own = store.current;
  useEffect(() => () => own.close(), [own]);
  const all = processNames.value;
  const members = useMemo(() => all.filter((name) => of === ALL || isWithin(name, of)).sort(), [all, of]);
  const { only, text, isRegex } = options;
  const shown = only === null ? members : members.filter((name) => only.includes(name));
  const names = shown.join("\n");
  useEffect(() => own.show(names === "" ? [] : names.split("\n")), [own, names]);
  useEffect(() => void own.filter({ text, isRegex }), [own, text, isRegex]);
  const [follows, setFollows] = useState(true);
  const jump = useRef(signal<{ readonly time: number } | null>(null)).current;
  if (!isLoaded.value) return null;
  if (members.length === 0) return <p class="empty nothing">{of === ALL ? "There are no processes." : `There is no group “${of}”.`}</p>;
  return (
    <section class="merged" aria-label={of === ALL ? "Output of all processes" : `Output of ${of}`}>
      <MergedBar
        of={of}
        members={members}
        shown={shown}
        store={own}
        options={options}
        onOptions={setOptions}
        follows={follows}
        onFollow={setFollows}
        onJump={(time) => {
          setFollows(false);
          jump.value = { time };
        }}
      />
      <MergedRows of={of} members={members} store={own} times={options.times} follows={follows} onFollow={setFollows} jump={jump} />
    </section>
  );
}
