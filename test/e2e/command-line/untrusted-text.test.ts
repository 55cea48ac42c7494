import { expect, test } from "vitest";
import { Terminal } from "../../../src/daemon/output/terminal.ts";
import { ACTS_ON_TERMINAL, HOSTILE } from "../../support/suites/untrusted-text.ts";
import { Instance, PROGRAM } from "../support/instance.ts";
import { sh } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

/** Of the program itself. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for.
const OWN_COLOURS = /\x1b\[\d*m/g;

test("untrusted text in the output and logs of the manager and its commands does not act on a terminal", async () => {
  await using instance = new Instance({ processes: { job: { command: ["printf", "%s", HOSTILE] } } });
  const up = instance.start("up", "-c", instance.config);
  await up.up();
  const login = Buffer.from(`${HOSTILE}:wrong`).toString("base64");
  expect((await instance.fetch("/", { headers: { authorization: `Basic ${login}` } })).status).toBe(401);
  await eventually("the log names the refused user", () => up.stdout.includes("evil"));
  await eventually("the log file does, too", () => instance.read("state/manager.log").includes("evil"));
  const printed = [
    up.stdout,
    instance.read("state/manager.log"),
    await (await instance.fetch("/mgr/log")).text(),
    await (await instance.fetch(`/mgr/log?level=${encodeURIComponent(HOSTILE)}`)).text(),
  ];
  const unknown = JSON.stringify({ type: HOSTILE });
  for (const words of [["log"], ["log", "--json"], ["graph"], ["start", HOSTILE], ["call", unknown]]) {
    const [command = "", ...rest] = words;
    const { stdout, stderr } = await instance.run(command, "-c", instance.config, ...rest);
    printed.push(stdout, stderr);
  }
  printed.push((await instance.run(HOSTILE)).stderr, (await instance.run("ps", "-c", HOSTILE)).stderr);
  for (const text of printed) expect(text.replaceAll(OWN_COLOURS, "")).not.toMatch(ACTS_ON_TERMINAL);
  expect(printed.filter((text) => text.includes("evil")).length).toBeGreaterThan(8);
}, 300_000);

test("mgr logs prints text and colours on a terminal, and everything with --raw and to a pipe", async () => {
  const said = "\x1b[31mred\x1b[0m\x1b]0;title\x07\x1b[6n done";
  await using instance = await Instance.up({ processes: { job: { command: sh(`printf '%s\\n' '${said}'; exec sleep 1000`) } } }, "--all");
  const client = await instance.connect();
  const output = async () => String((await client.ask({ type: "get_process_output", name: "job" })).output);
  await eventually("it has said it", async () => (await output()).includes("done\r\n"));
  const { stdout } = await instance.mgr("logs", "job");
  expect(stdout).toBe(`${said}\r\n`);
  const onTerminal = async (...flags: string[]) => {
    let seen = "";
    let over = () => {};
    const ended = new Promise<void>((resolve) => {
      over = resolve;
    });
    const terminal = await Terminal.start({
      argv: [process.execPath, PROGRAM, "logs", "-c", instance.config, ...flags, "job"],
      cwd: instance.dir,
      environment: instance.environment,
      rows: 30,
      cols: 100,
      onData: (bytes) => {
        seen += bytes.toString();
      },
      onExit: () => over(),
    });
    await ended;
    terminal.close();
    return seen;
  };
  expect((await onTerminal()).replace(/\r+/, "")).toBe("\x1b[31mred\x1b[0m done\n\x1b[0m");
  expect(await onTerminal("--raw")).toContain(said);
}, 300_000);
