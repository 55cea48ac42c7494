import { expect, it } from "vitest";
import { ERROR_CODES, MgrError } from "../../../src/base/errors.ts";
import { CommandFailure, exitCodeOf, explain } from "../../../src/cli/command/exit-codes.ts";
import { table } from "../../../src/cli/output/table.ts";

it("a table has columns as wide as their widest cell, numbers aligned to the right, and no trailing blanks", () => {
  const rows = [
    { name: "a", count: 5, note: "" },
    { name: "longer name", count: 1_234, note: "x" },
  ];
  const text = table<(typeof rows)[number]>(
    [
      { title: "NAME", text: (row) => row.name },
      { title: "COUNT", text: (row) => String(row.count), right: true },
      { title: "", text: (row) => row.note },
    ],
    rows,
  );
  expect(text).toBe(["NAME         COUNT", "a                5", "longer name   1234  x"].join("\n"));
  expect(table([{ title: "NAME", text: String }], [])).toBe("NAME");
});

it("a table can have 200,000 rows", () => {
  const text = table<number>(
    [{ title: "N", text: String }],
    Array.from({ length: 200_000 }, (_, n) => n),
  );
  expect(text.endsWith("\n199999")).toBe(true);
});

it("exit codes are 2 for usage, 3 for unknown names, 4 for a time-out, 1 for other failures", () => {
  const codes = Object.fromEntries(ERROR_CODES.map((code) => [code, exitCodeOf(new MgrError(code, "x"))]));
  expect(codes).toEqual({
    bad_json: 2,
    bad_frame: 2,
    unknown_action: 2,
    bad_field: 2,
    too_large: 2,
    not_found: 3,
    timeout: 4,
    conflict: 1,
    not_running: 1,
    host_unavailable: 1,
    out_of_scope: 1,
    busy: 1,
    forbidden: 1,
    shutting_down: 1,
    internal: 1,
  });
  expect(exitCodeOf(new CommandFailure(3, "x"))).toBe(3);
  expect(exitCodeOf(new TypeError("x"))).toBe(1);
});

it("an error is a sentence; a defect has its stack", () => {
  expect(explain(new CommandFailure(1, "no such thing"))).toBe("no such thing");
  expect(explain(new MgrError("conflict", "it runs"))).toBe("it runs");
  expect(explain(new TypeError("a defect"))).toContain("table.test.ts");
  expect(explain("text")).toBe("text");
  // As process.cwd() throws it when the folder was removed.
  const removed = Object.assign(new Error("ENOENT: no such file or directory, uv_cwd"), { code: "ENOENT", syscall: "uv_cwd" });
  expect(explain(removed)).toBe(
    "the current folder cannot be used (ENOENT): it was removed, or you may not enter it; change to another one with cd",
  );
});

it("on a narrow terminal, optional columns are left out one after the other, then the last one is cut", () => {
  const rows = [{ name: "arm/driver", pid: "12345", restarts: "0", note: "waiting for sim/world and others" }];
  const columns = [
    { title: "NAME", text: (row: (typeof rows)[number]) => row.name },
    { title: "PID", text: (row: (typeof rows)[number]) => row.pid, right: true, spare: 2 },
    { title: "RESTARTS", text: (row: (typeof rows)[number]) => row.restarts, right: true, spare: 1 },
    { title: "", text: (row: (typeof rows)[number]) => row.note },
  ];
  expect(table(columns, rows, 80)).toContain("RESTARTS");
  expect(table(columns, rows, 41)).toBe("NAME          PID  RESTARTS\narm/driver  12345         0  waiting for…");
  expect(table(columns, rows, 40)).toBe("NAME          PID\narm/driver  12345  waiting for sim/worl…");
  expect(table(columns, rows, 25)).toBe("NAME\narm/driver  waiting for …");
});
