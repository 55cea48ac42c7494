import { BehaviorSubject, Subject } from "rxjs";
import { expect, it } from "vitest";
import type { ManagerLink, ManagerLinkState } from "../../src/client/link/manager-link.ts";
import { ManagerClient } from "../../src/client/manager-client.ts";
import type { ManagerFrame } from "../../src/protocol/frames/frames.ts";

/** A manager that has this backlog; how many lines it was asked for. */
function rig(backlog: { output: string; offset: number }) {
  const frames$ = new Subject<ManagerFrame>();
  const asked: unknown[] = [];
  const say = (frame: Record<string, unknown>) => frames$.next(frame as unknown as ManagerFrame);
  const link: ManagerLink = {
    frames$,
    state$: new BehaviorSubject<ManagerLinkState>({ kind: "open" }),
    isFull: false,
    send(frame) {
      if (frame.type !== "get_process_output") return true;
      asked.push(frame.lines);
      const answer = { type: "process_output_snapshot", name: "a", pid: 1, truncated: false, stream_id: "s", ...backlog };
      queueMicrotask(() => say({ ...answer, request_id: frame.request_id }));
      return true;
    },
    close: () => frames$.complete(),
  };
  const live = (output: string, offset: number, more: object = {}) =>
    say({ type: "process_output", name: "a", output, offset, stream_id: "s", ...more });
  return { process: new ManagerClient(link).process("a"), asked, live, backlog };
}

const LONG = `needle${"x".repeat(200_000)}`;

it("a wait for output finds text at the beginning of a long backlog", async () => {
  const { process } = rig({ output: LONG, offset: LONG.length });
  expect((await process.waitForOutput(/nee(dle)/))[1]).toBe("dle");
});

it("a wait for output finds text at the beginning of a long frame, and text that spans two", async () => {
  const { process, live } = rig({ output: "", offset: 0 });
  const first = process.waitForOutput(/needle/);
  const second = process.waitForOutput(/xy/);
  await new Promise((resolve) => setImmediate(resolve));
  live(LONG, LONG.length);
  live("yz", LONG.length + 2);
  expect((await first).index).toBe(0);
  expect((await second)[0]).toBe("xy");
});

it("a wait for output checks the backlog again where output was skipped", async () => {
  const { process, asked, live, backlog } = rig({ output: "", offset: 0 });
  const found = process.waitForOutput(/needle/);
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toEqual([1_000]);
  Object.assign(backlog, { output: "before needle after", offset: 19 });
  live("after", 19, { skipped: 14 });
  expect((await found)[0]).toBe("needle");
  expect(asked).toEqual([1_000, 100_000]);
});

it("a wait for output with an expression that would not end does not block the program, and finds what comes", async () => {
  const evil = `${"a".repeat(60)}!`;
  const { process, live } = rig({ output: evil, offset: evil.length });
  const found = process.waitForOutput(/(a+)+$/);
  await new Promise((resolve) => setImmediate(resolve));
  live("aa", evil.length + 2);
  expect((await found)[0]).toBe("aa");
});
