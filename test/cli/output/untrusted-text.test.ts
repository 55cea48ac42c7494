import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { OutputFilter } from "../../../src/base/patterns/output-filter.ts";
import { dotGraph, mermaidGraph, textGraph } from "../../../src/cli/commands/configuration/graph-text.ts";
import { describeReload } from "../../../src/cli/commands/configuration/reload.ts";
import { logLine } from "../../../src/cli/commands/instance/printer.ts";
import { stillStoppedHint } from "../../../src/cli/commands/processes/control.ts";
import { listing as hostListing } from "../../../src/cli/commands/processes/hosts.ts";
import { outcomeLine } from "../../../src/cli/commands/processes/outcome.ts";
import { listing as processListing } from "../../../src/cli/commands/processes/ps.ts";
import { INITIAL } from "../../../src/cli/commands/processes/top/model.ts";
import { picture } from "../../../src/cli/commands/processes/top/picture.ts";
import { stateLine } from "../../../src/cli/commands/processes/wait.ts";
import { NamedLines } from "../../../src/cli/output/named-lines.ts";
import { jsonText, paint, table } from "../../../src/cli/output/table.ts";
import { formatConfigError } from "../../../src/config/load/check-report.ts";
import { ConfigError } from "../../../src/config/schema/problems.ts";
import { formatLogLine } from "../../../src/http/log/log-stream.ts";
import { refusal } from "../../../src/http/request/refusal.ts";
import { decodeFrame } from "../../../src/protocol/frames/decode.ts";
import type { LogEntry, Process } from "../../../src/protocol/resources/resources.ts";
import { fakeProcess } from "../../support/fakes/fake-control.ts";
import { describeUntrustedText, type Places, writesOf } from "../../support/suites/untrusted-text-suite.ts";

const hostile = (text: string): Process => ({
  ...fakeProcess(text),
  state: "error",
  current_command: text,
  host: text,
  waiting_for: [text],
  exit: { code: 1, signal: null, reason: text, time: "2026-11-21T08:00:00.000" },
});
const entry = (text: string): LogEntry => ({ id: 1, ts: "2026-11-21T08:00:00.000", level: "error", source: text, msg: text });
const node = (text: string) => ({
  name: text,
  command: text,
  state: "error",
  waiting_for: [text],
  depends_on: [{ name: text, condition: text }],
});
/** Something that nothing depends on, so that the tree begins with it. */
const nodes = (text: string) => [node(text), { ...node("first"), depends_on: [{ name: text, condition: text }] }];
const host = (text: string) => ({
  name: text,
  aliases: [text],
  node_aliases: [],
  all_names: [text, `${text}2`],
  daemon_ready: false,
  state: "lost" as const,
  problem: null,
  lost_time: null,
  version: text,
  clock_offset: null,
});
const problem = (text: string) => ({ file: text, line: 1, column: 1, path: text, message: text, excerpt: text });

/** Every place of the core that prints or logs untrusted text, and what it prints. */
const PLACES: Places = {
  "a coloured text": (text) => paint("red", text),
  "a table": (text) => table([{ title: "NAME", text: String }], [text]),
  "mgr ps": (text) => processListing([hostile(text)], [host(text), host("other")], new Map()),
  "mgr hosts": (text) => hostListing([host(text)], [hostile(text)]),
  "mgr top": (text) =>
    picture(
      { ...INITIAL, instance: text, processes: [hostile(text)], filter: text, lost: text, message: { text, isBad: true } },
      { rows: 20, cols: 200 },
      0,
    ).lines.join("\n"),
  "mgr top, the list": (text) =>
    picture({ ...INITIAL, instance: text, processes: [fakeProcess("first"), hostile(text)] }, { rows: 20, cols: 200 }, 0).lines.join("\n"),
  "mgr start": (text) => outcomeLine("start", hostile(text)),
  "mgr start of what took others along": (text) => stillStoppedHint([hostile(text)]),
  "mgr wait": (text) => stateLine(hostile(text)),
  "mgr reload": (text) =>
    describeReload(
      {
        type: "config_reload_result",
        ok: true,
        added: [text],
        removed: [text],
        changed: [text],
        unchanged: [text],
        restart_needed: [text],
        starts: [text],
        stops: [text],
        differences: [{ name: text, key: text, from: text, to: text }],
        hosts: [{ name: text, change: "changed", keys: ["token"] }],
        settings: [text],
        manager_restart_needed: [text],
        problems: [],
      },
      false,
    ),
  "mgr graph": (text) => textGraph(nodes(text)),
  "mgr graph --dot": (text) => dotGraph(nodes(text)),
  "mgr graph --mermaid": (text) => mermaidGraph(nodes(text)),
  "mgr check": (text) => formatConfigError(new ConfigError(text, [problem(text)])),
  "mgr up": (text) => logLine(entry(text)),
  "mgr up, output of a process": (text) => {
    const lines = new NamedLines({ names: [text], isFiltered: true });
    return `${lines.write(text, `${text}\n`)}${lines.gap(text, 1)}${lines.end()}`;
  },
  "mgr log, /mgr/log and the log of an archive": (text) => formatLogLine(entry(text)),
  "--json": (text) => jsonText({ [text]: text }),
  "mgr logs on a terminal": (text) => {
    const filter = new OutputFilter();
    // Colours stay.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    return (filter.write(text) + filter.end()).replaceAll(/\x1b\[\d+m/g, "");
  },
  "an unknown frame": (text) => {
    const decoded = decodeFrame(JSON.stringify({ type: text }));
    return decoded.ok || decoded.error.type !== "error" ? "" : decoded.error.message;
  },
  "a refusal of HTTP": (text) => refusal(404, text).text,
};

describeUntrustedText(PLACES);

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = {
  "src/app/survive-shortage.ts": 1,
  "src/cli/commands/processes/attach.ts": 4,
  "src/cli/commands/processes/attach/attached-output.ts": 2,
  "src/cli/commands/setup/check.ts": 3,
  "src/cli/commands/processes/control.ts": 2,
  "src/cli/commands/instance/detach.ts": 3,
  "src/cli/commands/instance/down.ts": 2,
  "src/cli/commands/configuration/graph.ts": 1,
  "src/cli/commands/processes/hosts.ts": 1,
  "src/cli/commands/setup/init.ts": 6,
  "src/cli/commands/messages/log.ts": 1,
  "src/cli/commands/messages/logs.ts": 4,
  "src/cli/commands/messages/run-log.ts": 2,
  "src/cli/commands/setup/passwd.ts": 2,
  "src/cli/commands/processes/ps.ts": 5,
  "src/cli/commands/configuration/reload.ts": 1,
  "src/cli/commands/setup/save-all.ts": 1,
  "src/cli/commands/processes/top.ts": 2,
  "src/cli/commands/instance/up.ts": 5,
  "src/cli/commands/processes/wait.ts": 1,
  "src/cli/manager/config-path.ts": 1,
  "src/cli/manager/configuration.ts": 1,
  "src/cli/commands/setup/prompt.ts": 2,
  "src/cli/commands/instance/foreground-output.ts": 3,
  "src/cli/output/table.ts": 1,
  "src/cli/main.ts": 3,
  "src/cli/program.ts": 1,
  "src/cli/commands/processes/attach/replay.ts": 2,
  "src/cli/terminal/screen.ts": 1,
  "src/daemon/main.ts": 2,
};

test("every place that writes to a terminal is known", () => {
  const core = Object.entries(writesOf("src")).filter(([file]) => !file.startsWith("src/features/"));
  expect(Object.fromEntries(core)).toEqual(WRITES);
});

test("each feature that writes to a terminal has a test of what it writes", () => {
  const writing = Object.keys(writesOf("src/features")).map((file) => file.split("/")[2]);
  const isTested = (feature: string | undefined) =>
    existsSync(new URL(`../../features/${feature}/cli/untrusted-text.test.ts`, import.meta.url));
  expect(writing.filter((feature) => !isTested(feature))).toEqual([]);
});
