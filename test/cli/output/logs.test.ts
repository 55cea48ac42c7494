import { describe, expect, it, vi } from "vitest";
import { logs } from "../../../src/cli/commands/messages/logs.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { printed, ScriptedManager } from "../support/scripted-manager.ts";

const live = (name: string, output: string, offset: number, stream_id = "s") => ({
  type: "process_output",
  name,
  output,
  offset,
  stream_id,
});

describe("mgr logs", () => {
  it("prints the last lines of a process as they are", async () => {
    await using manager = await ScriptedManager.open("a");
    manager.backlogs.set("a", { output: "one\r\ntwo", offset: 8, stream_id: "s" });
    const { output, error } = await printed(() => logs(["a"], { ...manager.flags, lines: 2 }));
    expect([output, error]).toEqual(["one\r\ntwo", null]);
    expect(manager.asked.map(({ request_id: _, ...frame }) => frame)).toEqual([
      { type: "get_snapshot" },
      { type: "get_process_output", name: "a", lines: 2 },
    ]);
  });

  it("of several prints whole lines with their name before them", async () => {
    await using manager = await ScriptedManager.open("a", "b");
    manager.backlogs.set("a", { output: "one\r\nunfinished", offset: 15, stream_id: "s" });
    manager.backlogs.set("b", { output: "two\r\n", offset: 5, stream_id: "s" });
    const { output } = await printed(() => logs(["*"], { ...manager.flags, lines: 10 }));
    expect(output).toBe("a | one\nb | two\na | unfinished\n");
  });

  it("of several processes prints the lines in the order in which they were written, where the manager knows it", async () => {
    await using manager = await ScriptedManager.open("a", "b", "old");
    const at = (offset: number, second: number) => ({ offset, time: `2026-11-22T10:00:0${second}.000` });
    manager.backlogs.set("a", { output: "first\nthird\n", offset: 112, stream_id: "s", times: [at(100, 1), at(106, 3)] });
    manager.backlogs.set("b", { output: "second\nfourth\n", offset: 14, stream_id: "s", times: [at(0, 2), at(7, 4)] });
    manager.backlogs.set("old", { output: "unknown\n", offset: 8, stream_id: "s" });
    const { output } = await printed(() => logs(["*"], { ...manager.flags, lines: 10 }));
    expect(output).toBe("old | unknown\na   | first\nb   | second\na   | third\nb   | fourth\n");
    expect(manager.asked.at(-1)).toMatchObject({ times: true });
  });

  it("without names prints all processes, and with -f also those that appear later", async () => {
    await using manager = await ScriptedManager.open("a", "b");
    manager.backlogs.set("b", { output: "two\r\n", offset: 5, stream_id: "s" });
    manager.onFrame = ({ type, name }) => {
      if (type !== "get_process_output" || name !== "b") return;
      setTimeout(() => {
        manager.say(live("a", "one\r\n", 5));
        manager.say(live("new", "three\r\n", 7));
        manager.hangUp("the manager is shutting down");
      }, 20);
    };
    const { output } = await printed(() => logs([], { ...manager.flags, follow: true }));
    expect(output).toBe("b | two\na | one\nnew | three\n");
    expect(manager.asked.find(({ type }) => type === "subscribe_process_output")?.patterns).toEqual(["*"]);
    expect(manager.asked.filter(({ type }) => type === "get_process_output").map(({ name, lines }) => [name, lines])).toEqual([
      ["a", 20],
      ["b", 20],
    ]);
  });

  it("--since requests the output of that time, however many lines", async () => {
    await using manager = await ScriptedManager.open("a");
    await printed(() => logs(["a"], { ...manager.flags, since: 600 }));
    expect(manager.asked.at(-1)).toMatchObject({ type: "get_process_output", name: "a", lines: 100_000, seconds: 600 });
  });

  it.each([
    [["--since", "10m"], 600],
    [["--since", "1.5h"], 5_400],
    [["--since", "2026-11-20T14:30"], null],
    [["--since", "tomorrow"], "expected an age such as 30s, 10m or 2h, or a time such as 14:30"],
    [["--since", "2999-01-01"], "this time is in the future"],
  ] as const)("%j", async (words, meaning) => {
    await using manager = await ScriptedManager.open("a");
    const { url, user, passwordFile } = manager.flags;
    const flags = ["--url", url, "--user", user, "--password-file", passwordFile];
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const { error } = await printed(() => createProgram().parseAsync(["node", "mgr", "logs", "a", ...words, ...flags]));
    stderr.mockRestore();
    if (typeof meaning === "string") expect(error).toMatchObject({ message: expect.stringContaining(meaning) });
    else expect(manager.asked.at(-1)?.seconds).toEqual(meaning ?? expect.any(Number));
  });

  it("-f continues exactly where the backlog ends, and prints no other process's output", async () => {
    await using manager = await ScriptedManager.open("a[b]", "ab");
    manager.backlogs.set("a[b]", { output: "12345€", offset: 8, stream_id: "s" });
    manager.onFrame = ({ type }) => {
      if (type === "subscribe_process_output") {
        // Before the backlog: partly in it, and then what is beyond it; the pattern matches another name, too.
        manager.say(live("a[b]", "345", 5));
        manager.say(live("a[b]", "€6", 9));
        manager.say(live("ab", "not mine", 8));
      }
      if (type !== "get_process_output") return;
      setTimeout(() => {
        manager.say(live("a[b]", "7", 10));
        manager.say(live("a[b]", "new daemon", 10, "t"));
        manager.hangUp("the manager is shutting down");
      }, 20);
    };
    const { output, error } = await printed(() => logs(["a[b]"], { ...manager.flags, lines: 10, follow: true }));
    expect(output).toBe("12345€67new daemon");
    expect(error).toMatchObject({ exitCode: 1, message: expect.stringContaining("shutting down") });
    expect(manager.asked.find(({ type }) => type === "subscribe_process_output")?.patterns).toEqual(["a[b]"]);
  });

  it("-f reports beside the output how much was left out for a slow reader", async () => {
    await using manager = await ScriptedManager.open("a");
    manager.backlogs.set("a", { output: "1\r\n", offset: 3, stream_id: "s" });
    manager.onFrame = ({ type }) => {
      // Left out before the backlog, which has it: nothing is missing.
      if (type === "subscribe_process_output") manager.say({ ...live("a", "1\r\n", 3), skipped: 2 });
      if (type !== "get_process_output") return;
      setTimeout(() => {
        manager.say({ ...live("a", "9\r\n", 1_003), skipped: 997 });
        manager.hangUp("the manager is shutting down");
      }, 20);
    };
    const { output, errors } = await printed(() => logs(["a"], { ...manager.flags, lines: 10, follow: true }));
    expect(output).toBe("1\r\n9\r\n");
    expect(errors).toContain("997 bytes of 'a' were skipped");
  });
});
