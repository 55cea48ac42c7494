import { effect } from "@preact/signals";
import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { Terminal } from "@xterm/xterm";
import { ForceRedraw } from "../../../src/client/handles/force-redraw.ts";
import { refusalOf } from "../state/access.ts";
import { fontSize, screenReader, shade } from "../state/settings.ts";
import { ask, client, command, processOf } from "../state/store.ts";
import { complain, toast } from "../ui/toasts.ts";
import { ownKeys } from "./input/terminal-keys.ts";
import { isTerminalReply } from "./input/terminal-replies.ts";
import { type TouchKey, textOfKey, typedText } from "./input/touch-keys.ts";
import { inOrder } from "./input/typing.ts";
import { onPlaceRequested } from "./places/open-at.ts";
import { RunJumps } from "./places/run-jumps.ts";
import { MAX_MATCHES, type SearchQuery, type SearchResults } from "./places/search-query.ts";
import { enterTerminal } from "./shown-terminals.ts";
import { drawRule, searchColors, showLine, TERMINAL_LOOK, themeOf, useWebGl } from "./terminal-look.ts";
import { TerminalOutput } from "./terminal-output.ts";
import { typingRefusal } from "./terminal-refusals.ts";
import { type Size, TerminalSize } from "./terminal-size.ts";
import "@xterm/xterm/css/xterm.css";

const SCROLLBACK = 20_000;
/** Minimum font size of a terminal that is drawn in another viewer's size, px. */
const MIN_FONT_PX = 6;

export interface TerminalOptions {
  name: string;
  parent: HTMLElement;
  onSize?: (size: ShownSize) => void;
  onSearchRequested?: () => void;
  /** Called with whether the newest output is visible: not while the user has scrolled back. */
  onFollow?: (follows: boolean) => void;
  /** Called when a rule between two runs is drawn. */
  onRuns?: () => void;
  focus: boolean;
  /** Whether it draws with WebGL: browsers allow about 16 WebGL contexts, and a grid may have more terminals. */
  webgl: boolean;
}

/** The size of a process's terminal, as it is drawn here. */
export interface ShownSize extends Size {
  /** Whether it is the size of another viewer. */
  isForeign: boolean;
}

export interface OpenTerminal {
  /** Makes the process's terminal as large as this one. */
  applySize(): void;
  /** Makes the next search begin at the end of the output. */
  beginFind(): void;
  /** Selects the next match; `onResults` reports the number of matches. */
  find(query: SearchQuery, direction: "previous" | "next"): void;
  onResults(listener: (results: SearchResults) => void): () => void;
  endFind(): void;
  copy(): void;
  clear(): void;
  toEnd(): void;
  /** Scrolls to the beginning of a run, by the rules between runs. */
  toRun(direction: "previous" | "next"): void;
  setPaused(paused: boolean): void;
  focus(): void;
  /** Types a key that a phone's keyboard lacks. */
  press(key: TouchKey): void;
  close(): void;
}

/** One process's terminal: backlog, then live output, typing and size. */
export function openTerminal({ name, parent, onSize, onSearchRequested, onFollow, onRuns, focus, webgl }: TerminalOptions): OpenTerminal {
  const terminal = new Terminal({
    allowProposedApi: true,
    cursorBlink: !matchMedia("(prefers-reduced-motion: reduce)").matches,
    ...TERMINAL_LOOK,
    fontSize: fontSize.value,
    overviewRuler: { width: 9 },
    rightClickSelectsWord: true,
    screenReaderMode: screenReader.value,
    scrollback: SCROLLBACK,
    theme: themeOf(parent),
  });
  const fit = new FitAddon();
  const search = new SearchAddon({ highlightLimit: MAX_MATCHES });
  terminal.loadAddon(fit);
  terminal.loadAddon(search);
  // Links have no Referer: an address in the output of a process must not act on behalf of this page.
  terminal.loadAddon(new WebLinksAddon((_, uri) => window.open(uri, "_blank", "noopener,noreferrer")));
  terminal.open(parent);
  if (webgl) useWebGl(terminal);

  let isClosed = false;
  const forceRedraw = new ForceRedraw((rowsLess) => {
    const { cols, rows } = terminal;
    if (rowsLess > 0) {
      // Resets margins that were set for another size. The change of size reset them, but the backlog may not contain it.
      terminal.resize(cols, rows + 1);
      terminal.resize(cols, rows);
    }
    sendSize({ cols, rows: Math.max(1, rows - rowsLess) });
  });
  const size = new TerminalSize({ name, room, show: showSize, send: sendSize, isVisible: () => !document.hidden });
  // With the last terminal of a process, this page gives up its size.
  const release = enterTerminal(name, () => client.link.send({ type: "follow_terminal_size", name, follow: false }));
  const output = new TerminalOutput({
    name,
    terminal,
    client,
    ask,
    onRule: (rule) => {
      drawRule(terminal, rule);
      jumps.add(rule.marker);
      onRuns?.();
    },
    onSize: (told) => size.opened(told),
    onEmpty: (isEmpty) => {
      parent.dataset.empty = String(isEmpty);
    },
    onDrawn: (hasToRedraw) => {
      size.boxChanged();
      if (hasToRedraw) forceRedraw.begin();
      // Searches the output that was added since the last search.
      if (searched !== null) find(searched, "previous");
    },
    onLive: () => forceRedraw.heard(),
    onPlace: (marker, note) => {
      if (marker !== null) showLine(terminal, marker);
      if (note !== null) toast(note);
    },
  });

  const jumps = new RunJumps();
  function toRun(direction: "previous" | "next"): void {
    const line = jumps[direction](terminal.buffer.active.viewportY);
    if (line !== null) terminal.scrollToLine(line);
    else if (direction === "next") terminal.scrollToBottom();
  }

  let searched: SearchQuery | null = null;
  function find(query: SearchQuery, direction: "previous" | "next"): void {
    searched = query;
    const { text, ...how } = query;
    const options = { ...how, decorations: searchColors() };
    if (direction === "previous") search.findPrevious(text, options);
    else search.findNext(text, options);
  }

  /** The size that fits into the box with the user's font size. */
  function fitting(): Size | null {
    if (parent.clientWidth <= 40 || parent.clientHeight <= 20) return null;
    terminal.options.fontSize = fontSize.peek();
    const { rows, cols } = fit.proposeDimensions() ?? {};
    return rows && cols ? { rows, cols } : null;
  }

  /** A viewer draws in the size that the terminal has. */
  function room(): Size | null {
    return refusalOf({ type: "send_winch", name }) === null ? fitting() : null;
  }

  /** Draws in a size. That of another viewer is drawn smaller, as far as it can be read, and scrolls. */
  function showSize({ rows, cols }: Size, isForeign: boolean): void {
    parent.classList.toggle("foreign", isForeign);
    const own = fitting();
    if (isForeign && own) {
      const scale = Math.min(1, own.cols / cols, own.rows / rows);
      terminal.options.fontSize = Math.max(MIN_FONT_PX, Math.floor(fontSize.peek() * scale));
    }
    terminal.resize(cols, rows);
    onSize?.({ rows, cols, isForeign: isForeign && (own?.rows !== rows || own.cols !== cols) });
  }

  function sendSize({ rows, cols }: Size): void {
    client.link.send({ type: "send_winch", name, rows, cols });
  }

  function refit(): void {
    if (!output.isReplaying) size.boxChanged();
  }
  const sizes = client.events$.subscribe((frame) => {
    if (frame.type === "terminal_size" && frame.name === name) size.changed(frame);
  });
  const onVisible = () => !document.hidden && size.visible();
  document.addEventListener("visibilitychange", onVisible);

  // During a replay the terminal answers old queries: these replies must not be typed into the process.
  let hasSaid = false;
  const type = inOrder(async (text: string, reply: { reply?: true }) => {
    const forbidden = typingRefusal(name);
    if (forbidden === null) return command({ type: "send_stdin", name, text, ...reply });
    // Said once: each key would be refused.
    if (!reply.reply && !hasSaid) complain(new Error(forbidden));
    hasSaid ||= !reply.reply;
    return false;
  });
  const typing = terminal.onData((text) => {
    // If several terminals show the process, the manager accepts replies from the one that last typed or resized.
    const isReply = isTerminalReply(text);
    if (isReply) return output.isReplaying ? undefined : type(text, { reply: true });
    // Before the text is sent: a program that draws on it then knows the size.
    size.typed();
    type(typedText(text), {});
  });
  const keys = ownKeys({ name, terminal, parent, onSearchRequested, toRun });

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
  // Only the terminal of a process's view: others show its end.
  const endPlaces = webgl ? onPlaceRequested(name, (target) => output.goTo(target)) : () => {};
  const hostComes = effect(() => {
    if (processOf(name)?.host_ready) output.hostReady();
  });
  if (focus) terminal.focus();

  return {
    applySize() {
      size.typed();
      terminal.focus();
    },
    beginFind() {
      search.clearDecorations();
      terminal.clearSelection();
    },
    find,
    onResults(listener) {
      const results = search.onDidChangeResults(({ resultIndex, resultCount }) => listener({ index: resultIndex, count: resultCount }));
      return () => results.dispose();
    },
    endFind() {
      searched = null;
      search.clearDecorations();
      terminal.focus();
    },
    copy() {
      if (terminal.hasSelection()) keys.copySelection();
      else {
        terminal.selectAll();
        keys.copySelection();
        terminal.clearSelection();
      }
    },
    clear: () => terminal.clear(),
    toRun,
    toEnd() {
      terminal.scrollToBottom();
      terminal.focus();
    },
    setPaused(now) {
      output.isPaused = now;
    },
    focus: () => terminal.focus(),
    press(key) {
      terminal.input(textOfKey(key, terminal.modes.applicationCursorKeysMode));
    },
    close() {
      isClosed = true;
      forceRedraw.end();
      size.close();
      sizes.unsubscribe();
      document.removeEventListener("visibilitychange", onVisible);
      release();
      hostComes();
      endPlaces();
      output.close();
      restyle();
      resize();
      keys.close();
      observer.disconnect();
      typing.dispose();
      scrolling.dispose();
      terminal.dispose();
    },
  };
}
