import { useState } from "preact/hooks";
import { copy } from "../../ui/browser/clipboard.ts";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/marks/icons.tsx";
import type { DisplayScreen } from "./display-screen.ts";

/** Exchanges text between this computer and the display, also over plain HTTP, where browsers refuse access to the clipboard. */
export function TextPanel({ screen, onClose }: { screen: DisplayScreen; onClose: () => void }) {
  const [text, setText] = useState("");
  const copied = screen.copied.value;
  return (
    <aside class="display-text" aria-label="Clipboard">
      <header>
        <h2>To the display</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      <textarea
        aria-label="Text for the display"
        rows={4}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        placeholder="Write or paste here"
      />
      <p class="display-text-actions">
        <Button enabled={text !== ""} title="Then paste in the program, as with Ctrl-V" onClick={() => screen.paste(text)}>
          Put into its clipboard
        </Button>
        <Button enabled={text !== ""} title="As if it were typed; for programs that cannot paste" onClick={() => screen.type(text)}>
          Type it
        </Button>
      </p>
      <h2>From the display</h2>
      <textarea
        aria-label="Text that was copied in the display"
        rows={4}
        readOnly
        value={copied}
        placeholder="What you select or copy in the display appears here"
      />
      <p class="display-text-actions">
        <Button enabled={copied !== ""} onClick={() => void copy(copied, "the text")}>
          Copy
        </Button>
      </p>
    </aside>
  );
}
