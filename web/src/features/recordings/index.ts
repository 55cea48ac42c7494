import type { PageFeature } from "../../actions/page-feature.ts";
import { show } from "../../state/navigation.ts";
import { command } from "../../state/store.ts";
import { lazyView } from "../../ui/lazy-view.tsx";
import { addHistory, dataTab } from "../data-plane/public.ts";
import { recordings } from "./recordings-store.ts";
import { RECORDED, RECORDINGS } from "./views.ts";

addHistory(async (traces, wanted) => (await import("./file/past-samples.ts")).readPastRecordings(traces, wanted));

export const recordingsFeature: PageFeature = {
  views: [
    dataTab(RECORDINGS, async () => ({
      Content: (await import("./recordings-view.tsx")).RecordingsView,
      items: recordings,
    })),
    { ...RECORDED, ...lazyView(async () => (await import("./file/recorded-file-view.tsx")).RecordedFileView) },
  ],
  actions: () => [
    { title: "Recordings", near: true, run: () => show({ kind: "recordings" }) },
    ...recordings.value
      .filter(({ state }) => state === "recording")
      .map(({ name }) => ({ title: `Stop the recording ${name}`, run: () => void command({ type: "stop_recording", name }) })),
  ],
};
