import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, test } from "vitest";
import { OutputFilter } from "../../../src/base/output-filter.ts";
import { dotGraph, mermaidGraph, textGraph } from "../../../src/cli/commands/configuration/graph-text.ts";
import { describeReload } from "../../../src/cli/commands/configuration/reload.ts";
import { logLine } from "../../../src/cli/commands/instance/printer.ts";
import { outcomeLine, stillStoppedHint } from "../../../src/cli/commands/processes/control.ts";
import { listing as hostListing } from "../../../src/cli/commands/processes/hosts.ts";
import { listing as processListing } from "../../../src/cli/commands/processes/ps.ts";
import { stateLine } from "../../../src/cli/commands/processes/wait.ts";
import { INITIAL } from "../../../src/cli/commands/processes/top/model.ts";
import { picture } from "../../../src/cli/commands/processes/top/picture.ts";
import { NamedLines } from "../../../src/cli/output/named-lines.ts";
import { jsonText, paint, table } from "../../../src/cli/output/table.ts";
import { formatConfigError } from "../../../src/config/load/check-report.ts";
import { ConfigError } from "../../../src/config/load/problems.ts";
import { diffText } from "../../../src/features/data-plane/cli/param/file.ts";
import { listing as parameterListing } from "../../../src/features/data-plane/cli/param/list.ts";
import { changeText } from "../../../src/features/data-plane/cli/param/set.ts";
import { INITIAL as SCOPE } from "../../../src/features/data-plane/cli/scope/model.ts";
import { picture as scopePicture } from "../../../src/features/data-plane/cli/scope/picture.ts";
import { TraceBuffer } from "../../../src/features/data-plane/cli/scope/trace-buffer.ts";
import { infoText as serviceInfo } from "../../../src/features/data-plane/cli/service/info.ts";
import { listing as serviceListing } from "../../../src/features/data-plane/cli/service/list.ts";
import { formatOf } from "../../../src/features/data-plane/cli/topic/echo.ts";
import { infoText as topicInfo } from "../../../src/features/data-plane/cli/topic/info.ts";
import { listing as topicListing } from "../../../src/features/data-plane/cli/topic/list.ts";
import { measured } from "../../../src/features/data-plane/cli/topic/rates.ts";
import { configuredText } from "../../../src/features/loggers/cli/configure.ts";
import { controlText } from "../../../src/features/loggers/cli/control.ts";
import { downloadedText } from "../../../src/features/loggers/cli/download.ts";
import { listing as loggerListing } from "../../../src/features/loggers/cli/list.ts";
import type { DaemonLogger } from "../../../src/features/loggers/wire.ts";
import { tcpText, topologyText, trafficText } from "../../../src/features/network-statistics/cli/tables.ts";
import { taskRow } from "../../../src/features/process-list/manager/task-columns.ts";
import { TASK_COLUMNS } from "../../../src/features/process-list/task-columns.ts";
import { fileText } from "../../../src/features/recordings/cli/info.ts";
import {
  deletedText,
  exportedText,
  outcomeText,
  recordingList,
  recordingText,
  startedText,
} from "../../../src/features/recordings/cli/tables.ts";
import type { Recording } from "../../../src/features/recordings/wire.ts";
import { formatLogLine } from "../../../src/http/log/log-stream.ts";
import { refusal } from "../../../src/http/request/refusal.ts";
import { decodeFrame } from "../../../src/protocol/frames/decode.ts";
import type { LogEntry, Process } from "../../../src/protocol/resources/resources.ts";
import { NETWORK_STATS, TCP_CONNECTIONS } from "../../features/network-statistics/network-example.ts";
import { fakeProcess } from "../../support/fake-control.ts";
import { ACTS_ON_TERMINAL, HOSTILE } from "../../support/untrusted-text.ts";
import { fakeParameter, fakeService, fakeTopic } from "../support/fake-data.ts";

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

const detail = (text: string) => ({
  topic: fakeTopic(text, { message_definition: text }),
  publisher: { client_id: 1, client: text, host: text },
  subscribers: [{ client_id: 2, client: text, host: text }],
  definition: text,
  encoding: text,
  keep_last: true,
  priority: 1,
  max_age_ms: 1,
  reliable_within: 1,
  kept_dropped: 1,
  last_sample: { ts: text, value: text },
});
const sample = (text: string) => ({ value: { text, [text]: text }, time: 1n, seq: 1 });
const hostileService = (text: string) =>
  fakeService(text, {
    provider: text,
    provider_host: text,
    interface: JSON.stringify({ name: text, endpoints: { [text]: { description: text, request: { [text]: text } } } }),
  });

const recorded = (text: string): Recording => ({
  name: text,
  state: "error",
  problem: text,
  start_time: text,
  patterns: [text],
  hosts: [text],
  size: 1,
  messages: 1,
  missed: 1,
  dropped: 1,
  topics: [{ name: text, host: text, messages: 1, missed: 1, dropped: 1 }],
  files: [
    {
      host: text,
      file: text,
      size: 1,
      start_time: null,
      end_time: null,
      topics: 1,
      messages: 1,
      missed: 1,
      dropped: 1,
      is_growing: true,
      is_repaired: true,
    },
  ],
});
const logger = (text: string): DaemonLogger => ({
  name: text,
  enabled: true,
  active_topics: [text],
  topics: [{ name: text, log_size: 1, divisor: 1, only_ts: false, enabled: true, active: true, n_samples: 1, md_name: text, port: text }],
});

/** Every place that prints or logs untrusted text, and what it prints. */
const PLACES: Record<string, (text: string) => string> = {
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
        manager_restart_needed: [text],
        problems: [],
      },
      false,
    ),
  "mgr graph": (text) => textGraph(nodes(text)),
  "mgr graph --dot": (text) => dotGraph(nodes(text)),
  "mgr graph --mermaid": (text) => mermaidGraph(nodes(text)),
  "mgr topic list": (text) => topicListing([fakeTopic(text, { publisher: text, publisher_host: text, message_definition: text })]),
  "mgr topic info": (text) => topicInfo(detail(text)),
  "mgr topic info of a JSON Schema": (text) =>
    topicInfo({ ...detail(text), encoding: "json", definition: JSON.stringify({ [text]: text }) }),
  "mgr topic echo": (text) => formatOf({})(sample(text)),
  "mgr topic echo --csv": (text) => formatOf({ csv: true })(sample(text)),
  "mgr topic echo --json": (text) => formatOf({ json: true })(sample(text)),
  "mgr topic echo --field": (text) => formatOf({ field: "text" })(sample(text)),
  "mgr topic hz": (text) =>
    measured("hz", { sample_seconds: 1, topics: [{ name: text, rate: 1, bytes_s: 1, packets: 1 }] }, { once: true }),
  "mgr service list": (text) => serviceListing([hostileService(text)]),
  "mgr service info": (text) => serviceInfo(hostileService(text)),
  "mgr param list": (text) =>
    parameterListing([
      fakeParameter(text, {
        service: text,
        type: text,
        unit: text,
        description: text,
        input: text,
        output: text,
        override_value: text,
        override_enabled: true,
      }),
    ]),
  "mgr param set": (text) => changeText(fakeParameter(text), text),
  "mgr param diff": (text) => diffText([{ parameter: text, file: text, now: text }]),
  "mgr scope": (text) =>
    scopePicture(
      { ...SCOPE, lost: text, message: { text, isBad: true } },
      [{ name: text, colour: 1, buffer: new TraceBuffer(), isHidden: false, status: text, missed: 0 }],
      { rows: 24, cols: 200 },
      1,
    ).lines.join("\n"),
  "mgr net": (text) =>
    trafficText({
      ...NETWORK_STATS,
      links: NETWORK_STATS.links.map((link) => ({
        ...link,
        from_host: text,
        to_host: text,
        children: link.children.map((child) => ({ ...child, name: text })),
      })),
      interfaces: NETWORK_STATS.interfaces.map((port) => ({ ...port, host: text, interface: text, network: text })),
      problems: NETWORK_STATS.problems.map((problem) => ({ ...problem, message: text })),
    }),
  "mgr net topology": (text) =>
    topologyText({
      networks: [{ name: text, netmasks: [text], interfaces: [{ host: text, interface: text, ip: text }] }],
      gateways: [{ host: text, networks: [text] }],
    }),
  "mgr net tcp": (text) =>
    tcpText(TCP_CONNECTIONS.map((each) => ({ ...each, process: text, program: text, local: text, peer: text, peer_host: text }))),
  "mgr record list": (text) => recordingList([recorded(text)]),
  "mgr record info": (text) => recordingText(recorded(text)),
  "mgr record info of a file": (text) =>
    fileText(text, {
      size: 1,
      messages: 1,
      topics: [{ topic: text, encoding: text, definitionName: text, messages: 1, missed: 0, dropped: 0 }],
      times: null,
      metadata: new Map(),
      isRepaired: true,
    }),
  "mgr record start": (text) => startedText(text),
  "mgr record stop": (text) => outcomeText(recorded(text)),
  "mgr record delete": (text) => deletedText(text, text),
  "mgr record export": (text) => exportedText(text, 2),
  "mgr logger list": (text) => loggerListing([logger(text)]),
  "mgr logger start": (text) => controlText("start", text),
  "mgr logger configure": (text) => configuredText(text, [{ name: text }]),
  "mgr logger download": (text) => downloadedText(text, 1),
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
  "the process list": (text) =>
    taskRow(
      TASK_COLUMNS.map(() => text),
      true,
    )
      .cells.map(({ formatted }) => formatted)
      .join("\n"),
  "an unknown frame": (text) => {
    const decoded = decodeFrame(JSON.stringify({ type: text }));
    return decoded.ok || decoded.error.type !== "error" ? "" : decoded.error.message;
  },
  "a refusal of HTTP": (text) => refusal(404, text).text,
};

describe("untrusted text", () => {
  it.each(Object.entries(PLACES))("does not act on a terminal: %s", (_place, show) => {
    // Of the selected row.
    const shown = show(HOSTILE).replaceAll("\x1b[7m", "").replaceAll("\x1b[0m", "");
    expect(shown).toContain("evil");
    expect(shown).toContain("end");
    expect(shown).not.toMatch(ACTS_ON_TERMINAL);
  });

  it.each(Object.entries(PLACES))("stays as it is where it is harmless: %s", (_place, show) => {
    expect(show("größe-日本-🙂")).toContain("größe-日本-🙂");
  });
});

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES: Record<string, number> = {
  "src/app/survive-shortage.ts": 1,
  "src/cli/commands/processes/attach.ts": 5,
  "src/cli/commands/setup/check.ts": 2,
  "src/cli/commands/processes/control.ts": 2,
  "src/cli/commands/instance/down.ts": 2,
  "src/cli/commands/configuration/graph.ts": 1,
  "src/features/displays/cli/gui.ts": 1,
  "src/cli/commands/processes/hosts.ts": 1,
  "src/cli/commands/setup/init.ts": 6,
  "src/cli/commands/messages/log.ts": 1,
  "src/cli/commands/messages/logs.ts": 4,
  "src/features/network-statistics/cli/net.ts": 4,
  "src/features/data-plane/cli/param/file.ts": 4,
  "src/features/data-plane/cli/param/get.ts": 1,
  "src/features/data-plane/cli/param/list.ts": 1,
  "src/features/data-plane/cli/param/set.ts": 1,
  "src/cli/commands/setup/passwd.ts": 2,
  "src/features/loggers/cli/configure.ts": 1,
  "src/features/loggers/cli/control.ts": 1,
  "src/features/loggers/cli/download.ts": 1,
  "src/features/loggers/cli/list.ts": 1,
  "src/features/recordings/cli/export.ts": 1,
  "src/features/recordings/cli/info.ts": 2,
  "src/features/recordings/cli/list.ts": 1,
  "src/features/recordings/cli/start.ts": 1,
  "src/features/recordings/cli/stop.ts": 3,
  "src/cli/commands/processes/ps.ts": 4,
  "src/cli/commands/configuration/reload.ts": 1,
  "src/cli/commands/setup/save-all.ts": 1,
  "src/features/data-plane/cli/service/info.ts": 1,
  "src/features/data-plane/cli/service/list.ts": 1,
  "src/features/data-plane/cli/topic/delay.ts": 2,
  "src/features/data-plane/cli/topic/echo.ts": 2,
  "src/features/data-plane/cli/topic/info.ts": 1,
  "src/features/data-plane/cli/topic/list.ts": 1,
  "src/features/data-plane/cli/topic/pub.ts": 2,
  "src/features/data-plane/cli/topic/rates.ts": 1,
  "src/cli/commands/processes/top.ts": 1,
  "src/cli/commands/instance/up.ts": 7,
  "src/cli/commands/processes/wait.ts": 1,
  "src/cli/manager/configuration.ts": 2,
  "src/cli/commands/setup/prompt.ts": 2,
  "src/cli/commands/instance/foreground-output.ts": 3,
  "src/cli/output/table.ts": 1,
  "src/cli/main.ts": 3,
  "src/cli/program.ts": 1,
  "src/cli/commands/processes/replay.ts": 2,
  "src/features/data-plane/cli/param/find-parameters.ts": 1,
  "src/cli/terminal/screen.ts": 1,
  "src/features/data-plane/cli/topic/find-topic.ts": 1,
  "src/features/data-plane/client/connect-client.ts": 1,
  "src/daemon/main.ts": 2,
};

test("every place that writes to a terminal is known", () => {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const writes = files.flatMap((file): [string, number][] => {
    const found = readFileSync(join(root, "src", file), "utf8").match(/console\.\w+\(|\bstd(?:out|err)\.write\(|\bprinter\.print\(/g) ?? [];
    return found.length === 0 ? [] : [[join("src", file), found.length]];
  });
  expect(Object.fromEntries(writes.sort())).toEqual(WRITES);
});
