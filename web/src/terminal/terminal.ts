import { effect } from "@preact/signals";
import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { Terminal } from "@xterm/xterm";
import { ForceRedraw } from "../../../src/client/handles/force-redraw.ts";
import { OutputJoin } from "../../../src/client/output-join.ts";
import { FONT_SIZE, fontSize, screenReader, shade } from "../app/settings.ts";
import { client, command, processOf } from "../app/store.ts";
import { inOrder } from "../app/typing.ts";
import { confirm } from "../ui/dialog.tsx";
import { copy } from "../ui/toasts.ts";
import { searchColors, themeOf, useWebGl } from "./terminal-look.ts";
import { isTerminalReply } from "./terminal-replies.ts";
import { type Size, TerminalSize } from "./terminal-size.ts";
import "@xterm/xterm/css/xterm.css";

const BACKLOG_LINES = 5_000;
const SCROLLBACK = 20_000;
/** Maximum text that xterm.js has not drawn yet, characters; beyond it the newest backlog is requested instead. */
const MOST_UNDRAWN = 4_000_000;
/** xterm.js checks the clock between two pieces of text: small ones, so that it never blocks the page for long. Characters. */
const DRAWN_PIECE = 16_384;
/**
 * Pause before a backlog that is not available is requested again, milliseconds: doubled each time. Ends early when the host
 * returns.
 */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** Of a terminal that is drawn in another viewer's size, pixels. */
const SMALLEST_FONT = 6;
/** Pasted text with more lines is shown for confirmation first. */
const LINES_WITHOUT_ASKING = 1;
const QUOTED_PASTE = 600;

export interface TerminalOptions {
  name: string;
  parent: HTMLElement;
  onSize?: (size: ShownSize) => void;
  onSearchWanted?: () => void;
  /** Whether the newest output is in view: not while the user has scrolled back. */
  onFollow?: (follows: boolean) => void;
  focus: boolean;
  /** A grid may have many terminals: browsers allow about 16 WebGL contexts. */
  webgl: boolean;
}

/** The size of a process's terminal, as it is drawn here. */
export interface ShownSize extends Size {
  /** It is that of another viewer. */
  isForeign: boolean;
}

export interface OpenTerminal {
  /** Makes the process's terminal as large as this one. */
  takeSize(): void;
  find(text: string, backwards: boolean): boolean;
  endFind(): void;
  copy(): void;
  clear(): void;
  toEnd(): void;
  setPaused(paused: boolean): void;
  focus(): void;
  close(): void;
}

/** One process's terminal: backlog, then live output, typing and size. */
export function openTerminal({ name, parent, onSize, onSearchWanted, onFollow, focus, webgl }: TerminalOptions): OpenTerminal {
  const terminal = new Terminal({
    allowProposedApi: true,
    cursorBlink: !matchMedia("(prefers-reduced-motion: reduce)").matches,
    fontFamily: 'ui-monospace, "Cascadia Mono", "SF Mono", Menlo, "DejaVu Sans Mono", monospace',
    fontSize: fontSize.value,
    minimumContrastRatio: 4.5,
    overviewRuler: { width: 9 },
    rightClickSelectsWord: true,
    screenReaderMode: screenReader.value,
    scrollback: SCROLLBACK,
    theme: themeOf(parent),
  });
  const fit = new FitAddon();
  const search = new SearchAddon();
  terminal.loadAddon(fit);
  terminal.loadAddon(search);
  terminal.loadAddon(new WebLinksAddon((_, uri) => window.open(uri, "_blank", "noopener")));
  terminal.open(parent);
  if (webgl) useWebGl(terminal);

  let join = new OutputJoin();
  let replaying = true;
  let replays = 0;
  let paused = false;
  let undrawn = 0;
  let isClosed = false;
  /** Set while the backlog is not available: the manager is connected, the process's host is not yet. */
  let asksAgain: ReturnType<typeof setTimeout> | undefined;
  let refusals = 0;
  const nudge = new ForceRedraw((rowsLess) => sendSize({ cols: terminal.cols, rows: Math.max(1, terminal.rows - rowsLess) }));
  const size = new TerminalSize({ name, room: fitting, show: showSize, send: sendSize, isVisible: () => !document.hidden });
  shownTerminals.set(name, (shownTerminals.get(name) ?? 0) + 1);

  const output = client.output$(name).subscribe((frame) => {
    if (paused) return;
    if (frame.skipped) draw(`\r\n\x1b[0m\x1b[33m… ${frame.skipped} bytes skipped …\x1b[0m\r\n`);
    draw(join.live(frame));
    nudge.heard();
  });

  function draw(text: string): void {
    if (text === "") return;
    parent.dataset.empty = "false";
    // Output arrives faster than a browser draws: only the newest is worth drawing.
    if (undrawn > MOST_UNDRAWN) {
      void replay();
      return;
    }
    undrawn += text.length;
    for (let at = 0; at < text.length; at += DRAWN_PIECE) {
      const piece = text.slice(at, at + DRAWN_PIECE);
      terminal.write(piece, () => {
        undrawn -= piece.length;
      });
    }
  }

  /** The subscription exists already: no output is lost in between. Repeated after each reconnect. */
  async function replay(): Promise<void> {
    const mine = ++replays;
    clearTimeout(asksAgain);
    asksAgain = undefined;
    replaying = true;
    join = new OutputJoin();
    const backlog = await client.request({ type: "get_process_output", name, lines: BACKLOG_LINES }).catch(() => null);
    if (isClosed || mine !== replays) return;
    if (backlog?.type !== "process_output_snapshot") {
      // Live output waits for the backlog: without a retry nothing would ever be shown.
      asksAgain = setTimeout(() => void replay(), Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** refusals++));
      return;
    }
    refusals = 0;
    const told = await client.request({ type: "follow_terminal_size", name }).catch(() => null);
    if (isClosed || mine !== replays) return;
    terminal.reset();
    // In the size that it was written for.
    const isTaken = told?.type === "terminal_size" && size.opened(told);
    const text = join.backlog(backlog);
    parent.dataset.empty = String(text === "");
    await new Promise<void>((done) => terminal.write(text, done));
    if (isClosed || mine !== replays) return;
    replaying = false;
    size.boxChanged();
    if (isTaken) redraw();
  }

  /** Makes the program redraw for the size of this terminal. */
  function redraw(): void {
    // Margins that were set for another size were reset when the size changed; the backlog does not show that.
    const { cols, rows } = terminal;
    terminal.resize(cols, rows + 1);
    terminal.resize(cols, rows);
    nudge.begin();
  }

  /** What the box has room for in the user's font size. */
  function fitting(): Size | null {
    if (parent.clientWidth <= 40 || parent.clientHeight <= 20) return null;
    terminal.options.fontSize = fontSize.peek();
    const { rows, cols } = fit.proposeDimensions() ?? {};
    return rows && cols ? { rows, cols } : null;
  }

  /** The size of another viewer is drawn smaller as far as it can be read, and scrolls. */
  function showSize({ rows, cols }: Size, isForeign: boolean): void {
    parent.classList.toggle("foreign", isForeign);
    const own = fitting();
    if (isForeign && own) {
      const scale = Math.min(1, own.cols / cols, own.rows / rows);
      terminal.options.fontSize = Math.max(SMALLEST_FONT, Math.floor(fontSize.peek() * scale));
    }
    terminal.resize(cols, rows);
    onSize?.({ rows, cols, isForeign: isForeign && (own?.rows !== rows || own.cols !== cols) });
  }

  function sendSize({ rows, cols }: Size): void {
    client.link.send({ type: "send_winch", name, rows, cols });
  }

  function refit(): void {
    if (!replaying) size.boxChanged();
  }
  const sizes = client.events$.subscribe((frame) => {
    if (frame.type === "terminal_size" && frame.name === name) size.changed(frame);
  });
  const onVisible = () => !document.hidden && size.visible();
  document.addEventListener("visibilitychange", onVisible);

  // During replay the terminal answers queries of long ago: those replies must not be typed into the process.
  const type = inOrder((text: string, reply: { reply?: true }) => command({ type: "send_stdin", name, text, ...reply }));
  const typing = terminal.onData((text) => {
    // Of several terminals that show the process, the manager accepts replies from the one that last typed or resized.
    const isReply = isTerminalReply(text);
    if (replaying && isReply) return;
    // Before the text: a program that draws on it knows the size.
    if (!isReply) size.typed();
    type(text, isReply ? { reply: true } : {});
  });
  terminal.attachCustomKeyEventHandler((event) => {
    if (!event.ctrlKey || !event.shiftKey) return true;
    const act = {
      c: copySelection,
      f: () => onSearchWanted?.(),
      "+": () => grow(1),
      "*": () => grow(1),
      _: () => grow(-1),
      "-": () => grow(-1),
    }[event.key.toLowerCase()];
    if (!act) return true;
    event.preventDefault();
    if (event.type === "keydown") act();
    return false;
  });
  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    event.preventDefault();
    event.stopPropagation();
    void paste(text);
  };
  parent.addEventListener("paste", onPaste, { capture: true });

  async function paste(text: string): Promise<void> {
    const lines = text.replace(/\r?\n$/, "").split("\n").length;
    if (lines > LINES_WITHOUT_ASKING) {
      const detail = text.length > QUOTED_PASTE ? `${text.slice(0, QUOTED_PASTE)}\n…` : text;
      const yes = await confirm({ title: `Paste ${lines} lines?`, text: `They are typed into ${name} at once.`, detail, yes: "Paste" });
      if (isClosed) return;
      terminal.focus();
      if (!yes) return;
    }
    terminal.paste(text);
  }

  function copySelection(): void {
    const text = terminal.getSelection();
    if (text !== "") void copy(text, "the selection");
  }

  let follows = true;
  const scrolling = terminal.onRender(() => {
    const { viewportY, baseY } = terminal.buffer.active;
    if (follows === viewportY >= baseY) return;
    follows = !follows;
    onFollow?.(follows);
  });
  const observer = new ResizeObserver(() => requestAnimationFrame(() => !isClosed && refit()));
  observer.observe(parent);
  const restyle = effect(() => {
    void shade.value;
    terminal.options.theme = themeOf(parent);
  });
  const resize = effect(() => {
    void fontSize.value;
    terminal.options.screenReaderMode = screenReader.value;
    refit();
  });
  const reconnects = client.link.state$.subscribe((state) => {
    if (state.kind !== "open") return;
    refusals = 0;
    void replay();
  });
  const hostComes = effect(() => {
    if (processOf(name)?.host_ready && asksAgain !== undefined) void replay();
  });
  if (focus) terminal.focus();

  return {
    takeSize() {
      size.typed();
      terminal.focus();
    },
    find: (text, backwards) =>
      backwards ? search.findPrevious(text, { decorations: searchColors() }) : search.findNext(text, { decorations: searchColors() }),
    endFind() {
      search.clearDecorations();
      terminal.focus();
    },
    copy() {
      if (terminal.hasSelection()) copySelection();
      else {
        terminal.selectAll();
        copySelection();
        terminal.clearSelection();
      }
    },
    clear: () => terminal.clear(),
    toEnd() {
      terminal.scrollToBottom();
      terminal.focus();
    },
    setPaused(now) {
      if (paused && !now) void replay();
      paused = now;
    },
    focus: () => terminal.focus(),
    close() {
      isClosed = true;
      nudge.end();
      size.close();
      sizes.unsubscribe();
      document.removeEventListener("visibilitychange", onVisible);
      leaveTerminal(name);
      clearTimeout(asksAgain);
      hostComes();
      reconnects.unsubscribe();
      output.unsubscribe();
      restyle();
      resize();
      parent.removeEventListener("paste", onPaste, { capture: true });
      observer.disconnect();
      typing.dispose();
      scrolling.dispose();
      terminal.dispose();
    },
  };
}

/** Terminals of this page that show a process. */
const shownTerminals = new Map<string, number>();

/** With the last one of a process, this page gives up its size. */
function leaveTerminal(name: string): void {
  const left = (shownTerminals.get(name) ?? 1) - 1;
  shownTerminals.set(name, left);
  if (left > 0) return;
  shownTerminals.delete(name);
  client.link.send({ type: "follow_terminal_size", name, follow: false });
}

function grow(by: number): void {
  fontSize.value = Math.min(FONT_SIZE.most, Math.max(FONT_SIZE.least, fontSize.value + by));
}
