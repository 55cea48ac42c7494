import { linkTo } from "../../../state/navigation.ts";
import type { ViewOf } from "../../../state/views.ts";
import { downloadFrom } from "../../../ui/browser/download.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/marks/icons.tsx";
import { recordings } from "../recordings-store.ts";
import { fileAddress } from "./file-address.ts";
import { aboutFile, FilePlot, useFile } from "./file-plot.tsx";

/** A plot of the samples in a recorded file. */
export function RecordedFileView({ view }: { view: ViewOf<"recorded"> }) {
  const opened = useFile(fileAddress(view));
  const known = recordings.value.find(({ name }) => name === view.recording)?.files.find(({ file }) => file === view.file);
  return (
    <section class="data recorded-file" aria-label={`Recording ${view.recording}`}>
      <header class="data-filter">
        <a {...linkTo({ kind: "recordings" })}>Recordings</a>
        <h2 title={view.file}>{view.recording}</h2>
        {opened.kind === "open" && <span class="soft about">{aboutFile(opened.file)}</span>}
        <span class="grow" />
        <Button onClick={() => downloadFrom(fileAddress(view), view.file)}>
          <Icon name="download" />
          Download
        </Button>
      </header>
      {opened.kind === "opening" && <p class="empty nothing">Reading the file…</p>}
      {opened.kind === "failed" && (
        <p class="empty nothing" role="alert">
          {known?.is_growing
            ? "This file is still being written. Stop the recording, or plot one of its finished files."
            : `The file cannot be read: ${opened.problem}`}
        </p>
      )}
      {opened.kind === "open" && <FilePlot key={fileAddress(view)} name={view.file.replace(/\.mcap$/, "")} file={opened.file} />}
    </section>
  );
}
