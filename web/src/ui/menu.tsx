import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { IconName } from "./marks/icon-paths.ts";
import { Icon, IconButton } from "./marks/icons.tsx";
import { nextItem } from "./menu-keys.ts";

export interface MenuItem {
  icon: IconName;
  label: string;
  /** The key of the page that does the same. */
  keys?: string;
  /** Whether the action ends something. */
  isDanger?: boolean;
  /** Why the user may not use it, as a sentence: it is left out. */
  forbidden?: string | null;
  run: () => void;
}

/** The place where a menu opens: at a side of a button, or at the pointer. */
export interface Anchor {
  x: number;
  top: number;
  bottom: number;
  /** The edge of the menu that is at `x`. */
  edge: "left" | "right";
  /** The button of the menu: the pointer does not close the menu there, since the button does. */
  button: HTMLElement | null;
}

/** A button that opens a menu of actions that are rarely needed: the WAI-ARIA menu button. */
export function MenuButton(props: {
  label: string;
  items: readonly MenuItem[];
  icon?: IconName;
  word?: string;
  /** Shows the word beside the icon on wide screens too. */
  hasWord?: boolean;
  class?: string;
}) {
  const { label, icon = "more", word = "More", class: name = "" } = props;
  const items = props.items.filter(({ forbidden = null }) => forbidden === null);
  // A menu without entries says why.
  const forbidden = items.length === 0 ? (props.items[0]?.forbidden ?? null) : null;
  const id = useId();
  const box = useRef<HTMLSpanElement>(null);
  /** Index of the item that has the focus when the menu opens; null: it is closed. */
  const [opened, setOpened] = useState<number | null>(null);
  const close = () => {
    setOpened(null);
    box.current?.querySelector<HTMLElement>("button")?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the button in it
    <span
      class={`menu-button ${name}`}
      ref={box}
      onKeyDown={(event) => {
        if (opened !== null || forbidden !== null || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
        setOpened(event.key === "ArrowDown" ? 0 : items.length - 1);
        event.preventDefault();
      }}
    >
      <IconButton
        icon={icon}
        label={label}
        word={word}
        hasWord={props.hasWord ?? false}
        forbidden={forbidden}
        popup={{ id, isOpen: opened !== null }}
        onClick={() => (opened === null ? setOpened(0) : close())}
      />
      {opened !== null && box.current && (
        <Menu
          id={id}
          label={label}
          items={items}
          first={opened}
          anchor={below(box.current)}
          onClose={close}
          onLeave={() => setOpened(null)}
        />
      )}
    </span>
  );
}

function below(button: HTMLElement): Anchor {
  const { top, bottom, right } = button.getBoundingClientRect();
  return { x: right, top, bottom, edge: "right", button };
}

interface MenuProps {
  id?: string;
  label: string;
  items: readonly MenuItem[];
  first: number;
  anchor: Anchor;
  /** Called when the menu is closed by the keyboard, or after a choice: the focus returns to where it was. */
  onClose: () => void;
  onLeave: () => void;
}

/** A menu that is open. */
export function Menu({ id, label, items, first, anchor, onClose, onLeave }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const focus = (index: number) => menu.current?.querySelectorAll<HTMLElement>("[role=menuitem]")[index]?.focus();
  useEffect(() => {
    const element = menu.current;
    if (!element) return;
    // The menu is in the browser's top layer, where nothing cuts it off.
    element.showPopover();
    const { width, height } = element.getBoundingClientRect();
    const under = anchor.bottom + 4;
    const left = anchor.edge === "left" ? anchor.x : anchor.x - width;
    element.style.top = `${under + height > innerHeight ? Math.max(4, anchor.top - height - 4) : under}px`;
    element.style.left = `${Math.max(4, Math.min(left, innerWidth - width - 4))}px`;
    focus(first);
    const onPointer = ({ target }: PointerEvent) => {
      if (target instanceof Node && !element.contains(target) && !anchor.button?.contains(target)) onLeave();
    };
    addEventListener("pointerdown", onPointer, { capture: true });
    addEventListener("resize", onLeave);
    return () => {
      removeEventListener("pointerdown", onPointer, { capture: true });
      removeEventListener("resize", onLeave);
    };
  }, []);
  return (
    <div
      ref={menu}
      id={id}
      class="menu"
      role="menu"
      aria-label={label}
      tabIndex={-1}
      popover="manual"
      // Some systems open the browser's own menu as the key is released.
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Tab") return onLeave();
        if (event.key === "Escape") onClose();
        else {
          const all = [...event.currentTarget.querySelectorAll("[role=menuitem]")];
          const labels = items.map((item) => item.label);
          const next = nextItem(event.key, { labels, at: all.indexOf(document.activeElement ?? event.currentTarget) });
          if (next === null) return;
          focus(next);
        }
        event.preventDefault();
      }}
    >
      {items.map(({ icon, label: title, keys, isDanger, run }) => (
        <button
          key={title}
          type="button"
          role="menuitem"
          tabIndex={-1}
          class={isDanger ? "bad" : undefined}
          aria-keyshortcuts={keys}
          onClick={() => {
            onClose();
            run();
          }}
        >
          <Icon name={icon} />
          <span class="grow">{title}</span>
          {/* Screen readers read the shortcut from its attribute. */}
          {keys && (
            <span aria-hidden="true">
              <kbd>{keys}</kbd>
            </span>
          )}
        </button>
      ))}
    </div>
  );
}
