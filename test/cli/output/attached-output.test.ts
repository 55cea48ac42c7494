import { BehaviorSubject, Subject } from "rxjs";
import { expect, onTestFinished, test, vi } from "vitest";
import { AttachedOutput } from "../../../src/cli/commands/processes/attach/attached-output.ts";
import type { ManagerLinkState } from "../../../src/client/link/manager-link.ts";
import { ManagerClient } from "../../../src/client/manager-client.ts";
import type { ClientFrame, ManagerFrame } from "../../../src/protocol/frames/frames.ts";

/** A client whose manager has "past", which ends at byte 4 of the output. */
function openClient() {
  const frames$ = new Subject<ManagerFrame>();
  const send = (frame: ClientFrame) => {
    if (frame.type === "get_process_output") {
      const past = { name: "a", pid: 1, output: "past", offset: 4, stream_id: "s", truncated: false };
      frames$.next({ type: "process_output_snapshot", request_id: frame.request_id ?? "", ...past });
    }
    return true;
  };
  const state$ = new BehaviorSubject<ManagerLinkState>({ kind: "open" });
  const client = new ManagerClient({ state$, frames$, send, isFull: false, close: () => {} });
  onTestFinished(() => client.close());
  const live = (output: string, offset: number, skipped?: number) =>
    frames$.next({ type: "process_output", name: "a", output, offset, stream_id: "s", ...(skipped === undefined ? {} : { skipped }) });
  return { client, live };
}

test("an attached terminal says how much output was skipped, unless its backlog has it", async () => {
  let printed = "";
  const stdout = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += text;
    return true;
  });
  onTestFinished(() => stdout.mockRestore());
  const { client, live } = openClient();
  const output = new AttachedOutput("a", { heard: () => {}, note: (text) => (printed += `[${text}]`) });
  const beginning = output.begin(client, 100);
  live("st", 4, 2);
  const past = await beginning;
  process.stdout.write(past());
  live("new", 57, 50);
  live("", 60, 3);
  output.leave();
  expect(printed).toBe(
    "past[50 bytes were skipped: they came faster than they could be shown]new[3 bytes were skipped: they came faster than they could be shown]",
  );
});
