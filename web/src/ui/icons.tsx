import { Button } from "./button.tsx";
import { isNarrow } from "./screen.ts";

/** Pictures on buttons: strokes in a square of 16, so that they follow the text's colour. */
const PATHS = {
  start: "M5 3.2v9.6L12.5 8Z",
  stop: "M4 4h8v8H4z",
  restart: "M12.8 8a4.8 4.8 0 1 1-1.5-3.5M12.8 2.2v2.9H9.9",
  log: "M3 4h10M3 8h10M3 12h6",
  menu: "M2.5 4h11M2.5 8h11M2.5 12h11",
  close: "M4 4l8 8M12 4l-8 8",
  search: "M7 3a4 4 0 1 1 0 8a4 4 0 0 1 0-8ZM10 10l3.5 3.5",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  copy: "M6 6V3h7v7h-3M3 6h7v7H3z",
  download: "M8 2.5v7M5 7l3 3 3-3M3 13h10",
  clear: "M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5",
  popOut: "M9 3h4v4M13 3 7.5 8.5M11 9.5V13H3V5h3.5",
  splitRight: "M2.5 3h11v10h-11zM8 3v10",
  splitDown: "M2.5 3h11v10h-11zM2.5 8h11",
  details: "M2.5 3h11v10h-11zM10 3v10",
  sun: "M8 5.2a2.8 2.8 0 1 1 0 5.6a2.8 2.8 0 0 1 0-5.6ZM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.500Z",
  system: "M2.5 3h11v7.500h-11zM6 13.500h4M8 10.500v3",
  keyboard: "M1.5 4h13v8.500h-13zM4 6.800h.1M6.7 6.800h.1M9.4 6.800h.1M12 6.800h.1M4.5 9.800h7",
  settings: "M8 1.700 13.500 4.850v6.300L8 14.300l-5.500-3.150v-6.300ZM8 5.800a2.200 2.200 0 1 1 0 4.400a2.200 2.200 0 0 1 0-4.400Z",
  config: "M3 4.500h5M12 4.500h1M10 3v3M3 11.500h1M8 11.500h5M6 10v3",
  grid: "M2.5 3h4.500v4h-4.500zM9 3h4.500v4H9zM2.5 9h4.500v4h-4.500zM9 9h4.500v4H9z",
  table: "M2.5 3h11v10h-11zM2.5 6.300h11M2.5 9.600h11M6 3v10",
  up: "M4 10l4-4 4 4",
  down: "M4 6l4 4 4-4",
  toEnd: "M4 3.500l4 4 4-4M4 8.500l4 4 4-4",
  back: "M10 3.5 5.5 8 10 12.5",
  compare: "M3 3h4v10H3zM9 3h4v10H9zM4.3 6h1.4M10.3 6h1.4M10.3 9h1.4",
  history: "M3.2 8a4.8 4.8 0 1 0 1.500-3.500M3.200 2.200v2.900h2.900M8 5.300V8l2 1.500",
  reload: "M3 8a5 5 0 0 1 8.500-3.500M13 8a5 5 0 0 1-8.500 3.500M11.800 1.800v2.900H8.900M4.200 14.200v-2.900h2.900",
  next: "M6 3.5 10.5 8 6 12.5",
  signal: "M8.8 2 4 9h3.500L7 14l5-7.500H8.400Z",
  home: "M2.500 7.500 8 3l5.500 4.500M4 6.500V13h8V6.500",
  lock: "M4 7.500h8v5.500H4zM5.700 7.500V5.300a2.300 2.300 0 0 1 4.600 0v2.200",
  more: "M3 8a.5.5 0 1 0 1 0a.5.5 0 1 0-1 0M7.5 8a.5.5 0 1 0 1 0a.5.5 0 1 0-1 0M12 8a.5.5 0 1 0 1 0a.5.5 0 1 0-1 0",
  enlarge: "M9.500 2.500h4v4M13.500 2.500 9.300 6.700M6.500 13.500h-4v-4M2.500 13.500l4.200-4.200",
  shrink: "M13.500 6.500h-4v-4M9.500 6.500l4-4M2.500 9.500h4v4M6.500 9.500l-4 4",
  data: "M1.5 8h3l2-5 3 10 2-5h3",
  network: "M6 2.500h4v3.500H6zM1.500 10h4v3.500h-4zM10.500 10h4v3.500h-4zM8 6v2M3.500 10V8h9v2",
  hide: "M2.500 8c3-4.600 8-4.600 11 0c-3 4.600-8 4.600-11 0ZM8 6.500a1.500 1.500 0 1 1 0 3a1.500 1.500 0 0 1 0-3ZM3 13 13 3",
  screen: "M1.5 3h13v8.500h-13zM5.500 13.500h5M8 11.500v2",
  check: "M3.5 8.5 6.5 11.5 12.5 4.5",
} as const;

export type IconName = keyof typeof PATHS;

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
