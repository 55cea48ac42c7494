import type { ComponentChildren } from "preact";
import { IconButton } from "../marks/icons.tsx";

/** The panel beside a list: the selected row in detail, or a form. */
export function SidePanel({
  label,
  title = label,
  onClose,
  children,
}: {
  label: string;
  title?: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  return (
    <aside class="details data-panel" aria-label={label}>
      <header>
        <h2 title={title}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      {children}
    </aside>
  );
}
