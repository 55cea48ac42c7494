import { FitAddon } from "@xterm/addon-fit";
import { WebglAddon } from "@xterm/addon-webgl";
import { Terminal } from "@xterm/xterm";
import type { ManagerFrame } from "../../src/protocol/frames.ts";
import { client, command } from "./store.ts";
import "@xterm/xterm/css/xterm.css";

type Output = Extract<ManagerFrame, { type: "process_output" }>;

const BACKLOG_LINES = 5_000;
const SCROLLBACK = 20_000;
/** Typed text is cut into frames of at most this many characters: send_stdin takes 64 KiB. */
const STDIN_PIECE = 16_000;

/** One process's terminal in `parent`: backlog, then live output, typing and size. Returns the way to let go of it. */
export function openTerminal(name: string, parent: HTMLElement, onSize: (text: string) => void): () => void {
  const terminal = new Terminal({
    allowProposedApi: true,
    cursorBlink: true,
    fontFamily: 'ui-monospace, "Cascadia Mono", "SF Mono", Menlo, "DejaVu Sans Mono", monospace',
    fontSize: 13,
    scrollback: SCROLLBACK,
    theme: themeOf(parent),
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(parent);
  useWebGl(terminal);

  const position = { offset: -1, stream_id: "" };
  let early: Output[] = [];
  let replaying = true;

  const subscription = client.frames$.subscribe((frame) => {
    if (frame.type !== "process_output" || frame.name !== name) return;
    if (replaying) early.push(frame);
    else write(frame);
  });

  function write(frame: Output): void {
    // What the backlog had already is dropped: offsets count bytes and grow within one stream.
    if (frame.stream_id === position.stream_id && frame.offset <= position.offset) return;
    if (frame.skipped) terminal.write(`\r\n\x1b[0m\x1b[33m… ${frame.skipped} bytes skipped …\x1b[0m\r\n`);
    terminal.write(unseen(frame));
    position.offset = frame.offset;
    position.stream_id = frame.stream_id;
  }

  function unseen(frame: Output): string {
    if (frame.stream_id !== position.stream_id) return frame.output;
    const bytes = new TextEncoder().encode(frame.output);
    const known = bytes.length - (frame.offset - position.offset);
    return known > 0 ? new TextDecoder().decode(bytes.subarray(known)) : frame.output;
  }

  /** Subscribe first, then ask for the backlog: nothing falls between. Done again after each reconnect. */
  async function replay(): Promise<void> {
    replaying = true;
    early = [];
    await command({ type: "subscribe_process_output", patterns: [name] });
    const backlog = await client.request({ type: "get_process_output", name, lines: BACKLOG_LINES }).catch(() => null);
    if (backlog?.type === "process_output_snapshot") {
      terminal.reset();
      position.offset = backlog.offset;
      position.stream_id = backlog.stream_id;
      await new Promise<void>((done) => terminal.write(backlog.output, done));
    }
    replaying = false;
    for (const frame of early.splice(0)) write(frame);
    nudge();
  }

  /** A full-screen program redraws when its size changes: one row less, then the real size (runtime.md, "Frames out"). */
  function nudge(): void {
    fit.fit();
    sendSize(Math.max(1, terminal.rows - 1));
    sendSize(terminal.rows);
    onSize(`${terminal.cols}×${terminal.rows}`);
  }

  function sendSize(rows: number): void {
    client.link.send({ type: "send_winch", name, rows, cols: terminal.cols });
  }

  // During replay the terminal answers queries of long ago: those replies must not be typed into the process.
  const typing = terminal.onData((text) => {
    if (replaying) return;
    for (let at = 0; at < text.length; at += STDIN_PIECE)
      void command({ type: "send_stdin", name, text: text.slice(at, at + STDIN_PIECE) });
  });
  const observer = new ResizeObserver(() => {
    const before = `${terminal.cols}×${terminal.rows}`;
    fit.fit();
    if (before === `${terminal.cols}×${terminal.rows}` || replaying) return;
    sendSize(terminal.rows);
    onSize(`${terminal.cols}×${terminal.rows}`);
  });
  observer.observe(parent);
  const scheme = matchMedia("(prefers-color-scheme: light)");
  const recolour = () => {
    terminal.options.theme = themeOf(parent);
  };
  scheme.addEventListener("change", recolour);
  const reconnects = client.link.state$.subscribe((state) => {
    if (state.kind === "open") void replay();
  });
  terminal.focus();

  return () => {
    client.link.send({ type: "unsubscribe_process_output", patterns: [name] });
    reconnects.unsubscribe();
    subscription.unsubscribe();
    scheme.removeEventListener("change", recolour);
    observer.disconnect();
    typing.dispose();
    terminal.dispose();
  };
}

function useWebGl(terminal: Terminal): void {
  try {
    const webgl = new WebglAddon();
    // A lost context (the machine slept, too many terminals) falls back to the DOM renderer.
    webgl.onContextLoss(() => webgl.dispose());
    terminal.loadAddon(webgl);
  } catch (error) {
    console.info("no WebGL here, the terminal draws with the DOM", error);
  }
}

function themeOf(element: HTMLElement): { background: string; foreground: string; cursor: string; selectionBackground: string } {
  const style = getComputedStyle(element);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return {
    background: value("--terminal"),
    foreground: value("--text"),
    cursor: value("--accent"),
    selectionBackground: value("--selection"),
  };
}
