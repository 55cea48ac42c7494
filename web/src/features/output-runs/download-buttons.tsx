import type { Process } from "../../../../src/protocol/resources/resources.ts";
import { refusalOf } from "../../state/access.ts";
import { poppedOut, show } from "../../state/navigation.ts";
import { downloadFrom } from "../../ui/browser/download.ts";
import { MenuButton, type MenuItem } from "../../ui/menu.tsx";
import { outputAddress } from "./output-address.ts";

type Target = Parameters<typeof outputAddress>[0]["target"];

/** Why the user may not download output, as a sentence; null: the user may. */
export const downloadRefusal = (target: Target): string | null =>
  refusalOf({ need: "download", on: ("group" in target ? target.group : target.name) || null }, "A download");

function downloads(target: Target): MenuItem[] {
  const kind = "group" in target ? ", as a zip" : "";
  const save = (label: string, wanted: { raw?: boolean; run?: number }): MenuItem => ({
    icon: "download",
    label: `${label}${kind}`,
    forbidden: downloadRefusal(target),
    run: () => downloadFrom(outputAddress({ target, ...wanted })),
  });
  return [
    save("Download output as text", {}),
    save("Download output with colours", { raw: true }),
    save("Download the newest run", { run: 0 }),
  ];
}

/** A menu with the downloads of the output of a process or group. */
export function DownloadButton({ target }: { target: Target }) {
  return <MenuButton icon="download" label="Download the output" word="Download" items={downloads(target)} />;
}

/** In the view of a process: its runs, and downloads. */
export function RunsButton({ process: { name } }: { process: Process }) {
  const runs: MenuItem = { icon: "runs", label: "Show its runs", keys: "u", run: () => show({ kind: "runs", name }) };
  // A pop-out window has one view.
  const items = [...(poppedOut ? [] : [runs]), ...downloads({ name })];
  return <MenuButton icon="runs" label="Runs and downloads" word="Runs" items={items} />;
}

export function GroupDownloadButton({ name }: { name: string }) {
  return <DownloadButton target={{ group: name }} />;
}
