import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon, IconButton, type IconName } from "./icons.tsx";
import { nextItem } from "./menu-keys.ts";

export interface MenuItem {
  icon: IconName;
  label: string;
  /** The key that does the same on the page. */
  keys?: string;
  run: () => void;
}

/** A button that opens a menu of what is rarely needed: the WAI-ARIA menu button. */
export function MenuButton({ label, items, class: name = "" }: { label: string; items: readonly MenuItem[]; class?: string }) {
  const id = useId();
  const box = useRef<HTMLSpanElement>(null);
  /** The item that has the focus as it opens; null: it is closed. */
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
        if (opened !== null || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
        setOpened(event.key === "ArrowDown" ? 0 : items.length - 1);
        event.preventDefault();
      }}
    >
      <IconButton
        icon="more"
        label={label}
        word="More"
        popup={{ id, isOpen: opened !== null }}
        onClick={() => (opened === null ? setOpened(0) : close())}
      />
      {opened !== null && box.current && (
        <Menu id={id} label={label} items={items} first={opened} button={box.current} onClose={close} onLeave={() => setOpened(null)} />
      )}
    </span>
  );
}

interface MenuProps {
  id: string;
  label: string;
  items: readonly MenuItem[];
  first: number;
  button: HTMLElement;
  /** Closed by the keyboard, or after a choice: the focus returns to the button. */
  onClose: () => void;
  onLeave: () => void;
}

function Menu({ id, label, items, first, button, onClose, onLeave }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const focus = (index: number) => menu.current?.querySelectorAll<HTMLElement>("[role=menuitem]")[index]?.focus();
  useEffect(() => {
    const element = menu.current;
    if (!element) return;
    // In the browser's top layer: nothing cuts it off.
    element.showPopover();
    const at = button.getBoundingClientRect();
    const { width, height } = element.getBoundingClientRect();
    const below = at.bottom + 4;
    element.style.top = `${below + height > innerHeight ? Math.max(4, at.top - height - 4) : below}px`;
    element.style.left = `${Math.max(4, Math.min(at.right - width, innerWidth - width - 4))}px`;
    focus(first);
    const onPointer = ({ target }: PointerEvent) => {
      if (target instanceof Node && !element.contains(target) && !button.contains(target)) onLeave();
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
      {items.map(({ icon, label: title, keys, run }) => (
        <button
          key={title}
          type="button"
          role="menuitem"
          tabIndex={-1}
          aria-label={title}
          aria-keyshortcuts={keys}
          onClick={() => {
            onClose();
            run();
          }}
        >
          <Icon name={icon} />
          <span class="grow">{title}</span>
          {keys && <kbd>{keys}</kbd>}
        </button>
      ))}
    </div>
  );
}
