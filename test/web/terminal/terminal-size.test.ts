import { afterEach, expect, test, vi } from "vitest";
import { type ReportedSize, type Size, TerminalSize } from "../../../web/src/terminal/terminal-size.ts";

/** A process's terminal and its viewers: windows of their own size, told of every change as the manager tells them. */
class Shared {
  size: Size = { rows: 24, cols: 80 };
  holder: Viewer | null = null;
  readonly viewers: Viewer[] = [];

  received(viewer: Viewer): ReportedSize {
    return { ...this.size, holder: this.holder === null ? "none" : this.holder === viewer ? "this" : "other" };
  }

  take(viewer: Viewer, size: Size): void {
    this.size = size;
    this.holder = viewer;
    this.notify();
  }

  unsubscribe(viewer: Viewer): void {
    viewer.size.close();
    this.viewers.splice(this.viewers.indexOf(viewer), 1);
    if (this.holder !== viewer) return;
    this.holder = null;
    this.notify();
  }

  notify(): void {
    for (const viewer of [...this.viewers]) viewer.size.changed(this.received(viewer));
  }
}

class Viewer {
  readonly size: TerminalSize;
  shown = "";
  isVisible = true;

  room: Size | null;

  constructor(shared: Shared, name: string, room: Size | null) {
    this.room = room;
    // Each viewer is a page of its own: another name, as no page knows the terminals of another one.
    this.size = new TerminalSize({
      name,
      room: () => this.room,
      show: ({ rows, cols }, isForeign) => {
        this.shown = `${cols}x${rows}${isForeign ? " foreign" : ""}`;
      },
      send: (size) => shared.take(this, size),
      isVisible: () => this.isVisible,
    });
    shared.viewers.push(this);
    this.size.opened(shared.received(this));
  }
}

const sizeOf = ({ size: { rows, cols } }: Shared) => `${cols}x${rows}`;
const desktopSize = { rows: 47, cols: 165 };
const phoneSize = { rows: 30, cols: 45 };
afterEach(() => vi.useRealTimers());

test("the first viewer gives the terminal its size", () => {
  const shared = new Shared();
  const desktop = new Viewer(shared, "desktop", desktopSize);
  expect(sizeOf(shared)).toBe("165x47");
  expect(desktop.shown).toBe("165x47");
  desktop.room = { rows: 40, cols: 120 };
  desktop.size.boxChanged();
  expect(sizeOf(shared)).toBe("120x40");
});

test("a viewer that does not type changes nothing, and draws in the real size", () => {
  const shared = new Shared();
  const desktop = new Viewer(shared, "desktop", desktopSize);
  const phone = new Viewer(shared, "phone", phoneSize);
  expect(sizeOf(shared)).toBe("165x47");
  expect(phone.shown).toBe("165x47 foreign");
  phone.room = { rows: 20, cols: 90 };
  phone.size.boxChanged();
  expect(sizeOf(shared)).toBe("165x47");
  shared.unsubscribe(phone);
  expect(sizeOf(shared)).toBe("165x47");
  expect(desktop.shown).toBe("165x47");
});

test("the viewer that types controls the size, which is restored when that viewer disconnects", () => {
  const shared = new Shared();
  const desktop = new Viewer(shared, "desktop", desktopSize);
  const phone = new Viewer(shared, "phone", phoneSize);
  phone.size.typed();
  expect(sizeOf(shared)).toBe("45x30");
  expect(desktop.shown).toBe("45x30 foreign");
  shared.unsubscribe(phone);
  expect(sizeOf(shared)).toBe("165x47");
  expect(desktop.shown).toBe("165x47");
});

test("the size is that of the viewer that types last, however often they alternate", () => {
  const shared = new Shared();
  const desktop = new Viewer(shared, "desktop", desktopSize);
  const phone = new Viewer(shared, "phone", phoneSize);
  for (let turn = 0; turn < 3; turn++) {
    phone.size.typed();
    expect(sizeOf(shared)).toBe("45x30");
    desktop.size.typed();
    expect(sizeOf(shared)).toBe("165x47");
    expect(phone.shown).toBe("165x47 foreign");
  }
});

test("without an earlier holder, a remaining viewer gets the size after a while", () => {
  vi.useFakeTimers();
  const shared = new Shared();
  const desktop = new Viewer(shared, "desktop", desktopSize);
  const phone = new Viewer(shared, "phone", phoneSize);
  shared.unsubscribe(desktop);
  expect(sizeOf(shared)).toBe("165x47");
  vi.runAllTimers();
  expect(sizeOf(shared)).toBe("45x30");
  expect(phone.shown).toBe("45x30");
});

test("a hidden page gets the size when it is visible again, one whose box is not drawn as soon as it is", () => {
  const shared = new Shared();
  const desktop = new Viewer(shared, "desktop", desktopSize);
  const hidden = new Viewer(shared, "hidden", phoneSize);
  hidden.isVisible = false;
  shared.unsubscribe(desktop);
  expect(shared.holder).toBeNull();
  hidden.size.visible();
  expect(sizeOf(shared)).toBe("45x30");
  const other = new Shared();
  const folded = new Viewer(other, "folded", null);
  expect(sizeOf(other)).toBe("80x24");
  folded.room = desktopSize;
  folded.size.boxChanged();
  expect(sizeOf(other)).toBe("165x47");
});
