import type { ManagerFrame } from "../../../src/protocol/frames/frames.ts";
import { Button } from "../ui/button.tsx";
import { IconButton } from "../ui/marks/icons.tsx";
import { clockTime } from "../ui/time.ts";

export type History = Extract<ManagerFrame, { type: "config_history"; ok: true }>;
export type Version = History["versions"][number];

/** "14:02:11 by ada". */
export const versionName = ({ time, by }: Version) => `${clockTime(time)}${by === null ? "" : ` by ${by}`}`;

interface Props {
  history: History;
  /** The version that the text is compared with. */
  compared: Version | null;
  isWritable: boolean;
  onCompare: (version: Version) => void;
  onRestore: (version: Version) => void;
  onClose: () => void;
}

/** The versions of a file: each can be compared with the text in the editor, or replace it. */
export function VersionsPanel({ history, compared, isWritable, onCompare, onRestore, onClose }: Props) {
  return (
    <aside class="versions" aria-label="Versions of this file">
      <header>
        <h2>Versions</h2>
        <IconButton icon="close" label="Close versions" onClick={onClose} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable) */}
      <ol aria-label="Versions" tabIndex={0}>
        {history.versions.map((version, index) => {
          const name = versionName(version);
          const isCompared = compared?.time === version.time && compared.hash === version.hash;
          // The same text can occur several times: its newest version is the one on disk.
          const isOnDisk = index === history.versions.findIndex(({ hash }) => hash === history.hash);
          const isInEffect = index === history.versions.findIndex(({ hash }) => hash === history.effective_hash);
          return (
            <li key={`${version.time} ${version.hash}`} class={isCompared ? "compared" : ""}>
              <span class="version-name">
                <time dateTime={`${version.time}Z`}>{clockTime(version.time)}</time>{" "}
                <span class="soft">{version.by === null ? "found on disk" : `saved by ${version.by}`}</span>
              </span>
              <span class="version-tags">
                {isInEffect && <span class="tag good">in effect</span>}
                {isOnDisk && <span class="tag quiet">on disk</span>}
              </span>
              <span class="version-actions">
                <Button pressed={isCompared} label={`Compare with version ${name}`} needsManager onClick={() => onCompare(version)}>
                  Compare
                </Button>
                <Button enabled={isWritable} label={`Restore version ${name}`} needsManager onClick={() => onRestore(version)}>
                  Restore
                </Button>
              </span>
            </li>
          );
        })}
      </ol>
    </aside>
  );
}
