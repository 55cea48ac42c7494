import { Dialog } from "../ui/dialog.tsx";

export interface Conflict {
  path: string;
  theirs: { content: string; hash: string };
}

interface Props {
  conflict: Conflict;
  onCompare: () => void;
  onTheirs: () => void;
  onMine: () => void;
  onClose: () => void;
}

/** Another user has saved the file meanwhile: nothing is overwritten until this user has decided. */
export function ConflictDialog({ conflict, onCompare, onTheirs, onMine, onClose }: Props) {
  const then = (act: () => void) => () => {
    onClose();
    act();
  };
  return (
    <Dialog label="The file has changed on disk" title onClose={onClose}>
      <p>
        <b>{conflict.path}</b> has changed on disk since you opened it. Your changes are not saved yet.
      </p>
      <div class="dialog-choices">
        <button type="button" class="choice" data-first onClick={then(onCompare)}>
          <b>Compare</b>
          <span>View both versions side by side, then save.</span>
        </button>
        <button type="button" class="choice" onClick={then(onTheirs)}>
          <b>Use version on disk</b>
          <span>Your changes are lost.</span>
        </button>
        <button type="button" class="choice" onClick={then(onMine)}>
          <b>Overwrite</b>
          <span>The changes on disk are lost.</span>
        </button>
      </div>
    </Dialog>
  );
}
