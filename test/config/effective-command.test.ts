import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toCommand } from "../../src/config/command-line.ts";
import { effectiveCommand, selectedLabel } from "../../src/config/effective-command.ts";
import { offeredTools, wrapCommand } from "../../src/config/start-tools.ts";
import { NO_SETTINGS, withOverride } from "../../src/config/state/process-settings.ts";

const tool = (command: string) => ({ value: "t", label: "tool", command });
const plain = {
  command: toCommand("./world --rate 100"),
  alternate_commands: new Map([["debug", toCommand("./world-debug")]]),
  start_tool: null,
};

describe("a start tool", () => {
  test.each([
    ["gdb -ex run --args {command}", "./world 'a b'", ["gdb", "-ex", "run", "--args", "./world", "a b"]],
    ["strace -f {command}", "sleep 1 | cat", ["strace", "-f", "/bin/sh", "-c", "sleep 1 | cat"]],
    ["xterm -e '{command}; read'", "./a 'b c'", ["xterm", "-e", "./a 'b c'; read"]],
    ["env {command}", "echo '$&' '$1'", ["env", "echo", "$&", "$1"]],
  ])("%s around %s", (wrapper, command, argv) => {
    expect(wrapCommand(toCommand(command), tool(wrapper)).program).toEqual({ kind: "exec", argv });
  });

  test("with shell syntax is a line for the shell, in which the command stays the same words", () => {
    expect(wrapCommand(toCommand("./a 'b; c'"), tool("time {command} 2>trace")).program).toEqual({
      kind: "shell",
      line: "time ./a 'b; c' 2>trace",
    });
  });
});

describe("the command in effect", () => {
  const overridden = withOverride(NO_SETTINGS, "debug", "./other");

  test("is the selected label's override, else its command", () => {
    expect(effectiveCommand(plain, NO_SETTINGS, []).text).toBe("./world --rate 100");
    expect(effectiveCommand(plain, overridden, []).text).toBe("./world --rate 100");
    expect(effectiveCommand(plain, { ...overridden, which: "debug" }, []).text).toBe("./other");
    expect(effectiveCommand(plain, { ...withOverride(overridden, "debug", null), which: "debug" }, []).text).toBe("./world-debug");
  });

  test("is wrapped by the selected tool, else by the configured one, unless none is selected", () => {
    const configured = { ...plain, start_tool: "t" };
    const tools = [tool("wrap {command}"), { value: "u", label: "u", command: "other {command}" }];
    expect(effectiveCommand(configured, NO_SETTINGS, tools).text).toBe("wrap ./world --rate 100");
    expect(effectiveCommand(configured, { ...NO_SETTINGS, start_tool: "u" }, tools).text).toBe("other ./world --rate 100");
    expect(effectiveCommand(configured, { ...NO_SETTINGS, start_tool: "none" }, tools).text).toBe("./world --rate 100");
  });

  test("is the primary one, with the default tool, if the configuration no longer has the label or the tool", () => {
    const gone = { ...NO_SETTINGS, which: "gone", start_tool: "gone" };
    expect(selectedLabel(plain, gone)).toBe("default");
    expect(effectiveCommand(plain, gone, []).text).toBe("./world --rate 100");
  });
});

test("known tools are offered if their program is in PATH, after the configured ones, which take precedence", () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-tools-"));
  try {
    writeFileSync(join(folder, "strace"), "#!/bin/sh\n", { mode: 0o755 });
    writeFileSync(join(folder, "perf"), "", { mode: 0o644 });
    const values = (path: string | undefined, configured = [tool("x {command}")]) =>
      offeredTools(configured, path).map(({ value }) => value);
    expect(values(`/nowhere:${folder}`)).toEqual(["t", "strace"]);
    expect(values(undefined)).toEqual(["t"]);
    expect(offeredTools([{ value: "strace", label: "mine", command: "strace {command}" }], folder)).toHaveLength(1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
