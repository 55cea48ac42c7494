import { isNarrow } from "../browser/screen.ts";
import { Button } from "../button.tsx";
import { type IconName, PATHS } from "./icon-paths.ts";

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="glyph" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/**
 * A button with an icon; its label is also its tooltip. Phones have no tooltips: there its word is below the icon, or its label without the keys
 * if no word is given.
 */
export function IconButton(props: {
  icon: IconName;
  label: string;
  word?: string;
  /** Shows the word on wide screens too. */
  hasWord?: boolean;
  onClick: (event: MouseEvent) => void;
  pressed?: boolean;
  enabled?: boolean;
  needsManager?: boolean;
  forbidden?: string | null;
  popup?: { id: string; isOpen: boolean };
  class?: string;
}) {
  const { icon, label, word = label.split("  ")[0], hasWord = false, class: name = "", ...rest } = props;
  return (
    <Button {...rest} class={`icon ${name}`} label={label} title={label}>
      <Icon name={icon} />
      {(hasWord || isNarrow.value) && <span>{word}</span>}
    </Button>
  );
}
