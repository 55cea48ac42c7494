import { Button } from "./button.tsx";
import { type IconName, PATHS } from "./icon-paths.ts";
import { isNarrow } from "./screen.ts";

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="glyph" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/**
 * A button that is a picture; its label is its tooltip, too. A phone has no tooltips: there its word stands below the picture, the label without
 * its keys if no shorter one is given.
 */
export function IconButton(props: {
  icon: IconName;
  label: string;
  word?: string;
  onClick: (event: MouseEvent) => void;
  pressed?: boolean;
  enabled?: boolean;
  needsManager?: boolean;
  popup?: { id: string; isOpen: boolean };
  class?: string;
}) {
  const { icon, label, word = label.split("  ")[0], class: name = "", ...rest } = props;
  return (
    <Button {...rest} class={`icon ${name}`} label={label} title={label}>
      <Icon name={icon} />
      {isNarrow.value && <span>{word}</span>}
    </Button>
  );
}
