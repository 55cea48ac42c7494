import { useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { lazyPart } from "../../ui/lazy-view.tsx";

const PresetsDialog = lazyPart(async () => (await import("./presets-dialog.tsx")).PresetsDialog);

/** Opens the presets of parameters. */
export function PresetsButton() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button class="presets-button" needsManager onClick={() => setOpen(true)}>
        Presets…
      </Button>
      {isOpen && <PresetsDialog onClose={() => setOpen(false)} />}
    </>
  );
}
