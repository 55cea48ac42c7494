import headless from "@xterm/headless";
import { Subject } from "rxjs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TerminalOutput } from "../../../web/src/terminal/terminal-output.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const NUMBERS = Array.from({ length: 300 }, (_, index) => `line ${index}\r\n`);

/** The output of a process with 300 lines. `refuse` is asked for each request of its backlog. */
function open(refuse: (lines: number) => boolean) {
  const terminal = new headless.Terminal({ cols: 60, rows: 6, scrollback: 1_000, allowProposedApi: true });
  const requested: number[] = [];
  const none = { output$: () => new Subject<never>(), events$: new Subject<never>(), link: { state$: new Subject<never>() } };
  const output = new TerminalOutput({
    name: "p",
    terminal,
    client: {
      ...none,
      mirror: { process: () => undefined },
      request: (async (frame: { type: string; lines?: number }) => {
        const { type, lines = 0 } = frame;
        if (type !== "get_process_output") throw new Error("not available");
        requested.push(lines);
        if (refuse(lines)) throw new Error("the host is not connected");
        const text = NUMBERS.slice(-lines).join("");
        return { type: "process_output_snapshot", name: "p", stream_id: "s", offset: NUMBERS.join("").length, output: text };
      }) as never,
    },
    ask: async () => {
      throw new Error("not available");
    },
    onRule: () => {},
    onSize: () => false,
    onEmpty: () => {},
    onDrawn: () => {},
    onLive: () => {},
    onPlace: () => {},
  });
  const firstLine = () => terminal.buffer.active.getLine(0)?.translateToString(true);
  const close = () => {
    output.close();
    terminal.dispose();
  };
  return { output, requested, firstLine, close };
}

test("a refused request for the whole backlog is repeated until it is answered, and not afterwards", async () => {
  let refusals = 3;
  const shown = open((lines) => lines > 200 && refusals-- > 0);
  void shown.output.replay();
  await vi.advanceTimersByTimeAsync(400);
  expect(shown.firstLine()).toBe("line 100");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(shown.firstLine()).toBe("line 0");
  expect(shown.requested).toEqual([200, 5_000, 200, 5_000, 200, 5_000, 200, 5_000]);
  shown.close();
});

test("the pause between refused requests for the whole backlog doubles, and closing the terminal ends them", async () => {
  const shown = open((lines) => lines > 200);
  void shown.output.replay();
  await vi.advanceTimersByTimeAsync(60_000);
  // At once, and after 0.5, 1.5, 3.5, 7.5, 15.5 and 31.5 s.
  const requests = Array.from({ length: 7 }, () => [200, 5_000]).flat();
  expect(shown.requested).toEqual(requests);
  shown.close();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(shown.requested).toEqual(requests);
});
