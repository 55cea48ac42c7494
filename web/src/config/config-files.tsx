import { Icon } from "../ui/marks/icons.tsx";
import { unsaved } from "./config-drafts.ts";

export interface ConfigFile {
  path: string;
  writable: boolean;
}

/** The path relative to the folder of the main file; the whole path if the file is elsewhere. */
export function shortPath(path: string, files: readonly ConfigFile[]): string {
  const main = files[0]?.path ?? path;
  const folder = main.slice(0, main.lastIndexOf("/") + 1);
  return path.startsWith(folder) ? path.slice(folder.length) : path;
}

/** The files of a configuration as tabs; a dot marks unsaved changes. */
export function FileTabs({ files, shown, onOpen }: { files: ConfigFile[]; shown: string; onOpen: (path: string) => void }) {
  return (
    <div class="file-tabs" role="tablist" aria-label="Configuration files">
      {files.map(({ path, writable }, index) => (
        <button
          key={path}
          type="button"
          class={`tab kept ${path === shown ? "active" : ""}`}
          role="tab"
          aria-selected={path === shown}
          tabIndex={path === shown ? 0 : -1}
          title={`${path}${writable ? "" : " (read-only)"}`}
          onClick={() => onOpen(path)}
          onKeyDown={(event) => {
            const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
            const next = step && files[(index + step + files.length) % files.length];
            if (!next) return;
            event.preventDefault();
            onOpen(next.path);
            event.currentTarget.parentElement?.querySelectorAll<HTMLElement>("[role=tab]")[files.indexOf(next)]?.focus();
          }}
        >
          <span class="tab-title">{shortPath(path, files)}</span>
          {!writable && <Icon name="lock" />}
          {unsaved.value.includes(path) && <span class="unsaved" role="img" aria-label="unsaved" />}
        </button>
      ))}
    </div>
  );
}
