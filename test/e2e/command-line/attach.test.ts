import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Terminal } from "../../../src/daemon/output/terminal.ts";
import { Instance, PROGRAM } from "../support/instance.ts";
import { markedProcesses } from "../support/marked.ts";
import { EDITOR, sh } from "../support/shell.ts";
import { TerminalSession } from "../support/terminal.ts";
import { eventually } from "../support/wait.ts";

/** Says what comes to it: lines, interrupts, sizes. Its own terminal echoes every key at once. */
const LISTENER = sh(`trap 'echo interrupted' INT; trap 'echo size $(stty size)' WINCH; echo up
while :; do if read line; then echo "got $line"; fi; done`);

/** A shell under a real terminal, as a person has it, in which `mgr attach` runs. It tells the terminal's settings before and after. */
class Desk implements AsyncDisposable {
  readonly terminal: Terminal;
  readonly #ended: Promise<void>;
  readonly #seen: { text: string };

  static async open(instance: Instance, name: string): Promise<Desk> {
    const seen = { text: "" };
    let over = () => {};
    const ended = new Promise<void>((resolve) => {
      over = resolve;
    });
    const line = `echo "before $(stty -g)"; "${process.execPath}" "${PROGRAM}" attach -c "${instance.config}" ${name}; echo "left $?"; echo "after $(stty -g)"; read -r end`;
    const terminal = await Terminal.start({
      argv: ["/bin/sh", "-c", line],
      cwd: instance.dir,
      environment: instance.environment,
      rows: 30,
      cols: 100,
      onData: (bytes) => {
        seen.text += bytes.toString();
      },
      onExit: () => over(),
    });
    return new Desk(terminal, ended, seen);
  }

  private constructor(terminal: Terminal, ended: Promise<void>, seen: { text: string }) {
    this.terminal = terminal;
    this.#ended = ended;
    this.#seen = seen;
  }

  type(text: string): void {
    this.terminal.write(Buffer.from(text));
  }

  /** All that the terminal has received. */
  get text(): string {
    return this.#seen.text;
  }

  async sees(pattern: RegExp): Promise<RegExpExecArray> {
    return eventually(`${pattern} on the terminal`, () => pattern.exec(this.#seen.text)).catch((error: Error) => {
      throw new Error(`${error.message}; it shows:\n${this.#seen.text}`);
    });
  }

  /** The exit code of `mgr attach`; the terminal is as it was before. */
  async left(): Promise<number> {
    const code = Number((await this.sees(/left (\d+)/))[1]);
    const [before, after] = [await this.sees(/before (\S+)/), await this.sees(/after (\S+)/)];
    expect(after[1]).toBe(before[1]);
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.kill(-this.terminal.pid, "SIGKILL");
    await this.#ended;
    this.terminal.close();
  }
}

// Pieces of an even length would end within one of these.
const PASTED = `x${"😀".repeat(20_000)}`;
const READER = sh(`stty raw -echo; echo up; head -c ${Buffer.byteLength(PASTED)} > typed; echo all of it; exec sleep 1000`);

let instance: Instance;
beforeAll(async () => {
  // One for each test: what it shows is that test's.
  const listeners = ["keys", "SIGTERM", "SIGHUP", "SIGINT", "lost"].map((name) => [name, { command: LISTENER }] as const);
  const processes = { ...Object.fromEntries(listeners), editor: { command: EDITOR }, reader: { command: READER } };
  instance = await Instance.up({ processes }, "--all");
});
afterAll(() => instance?.[Symbol.asyncDispose]());

/** Until it has its traps: a size that is told before would be told to nobody. */
async function listens(name: string): Promise<void> {
  const client = await instance.connect();
  const said = async () => String((await client.ask({ type: "get_process_output", name })).output);
  await eventually("it listens", async () => (await said()).includes("up"));
}

async function attached(): Promise<number> {
  const found = await eventually("mgr attach runs", () =>
    markedProcesses(instance.mark).find(({ command }) => command.startsWith(process.execPath) && command.includes(" attach ")),
  );
  return found.pid;
}

test("mgr attach under a terminal sends every key to the process, passes sizes on, and restores the terminal on Ctrl-]", async () => {
  await listens("keys");
  await using desk = await Desk.open(instance, "keys");
  await desk.sees(/Ctrl-\] detaches/);
  // The size of this terminal has become that one's, by way of another: whoever draws a whole screen draws it anew.
  await desk.sees(/size 29 100/);
  await desk.sees(/size 30 100/);
  // Without Enter: the echo is that of the process's terminal.
  desk.type("hal");
  await desk.sees(/hal/);
  desk.type("lo\r");
  await desk.sees(/got hallo/);
  // Not for mgr attach, but for the process.
  desk.type("\x03");
  await desk.sees(/interrupted/);
  desk.terminal.resize(41, 133);
  await desk.sees(/size 41 133/);
  desk.type("last words\x1dand what follows is not for it");
  expect(await desk.left()).toBe(0);
  const output = await instance.mgr("logs", "keys");
  expect(output.stdout).toContain("last words");
  expect(output.stdout).not.toContain("not for it");
});

test("mgr attach draws the whole screen of an editor that was started in another size", async () => {
  const client = await instance.connect();
  const shows = async () => String((await client.ask({ type: "get_process_output", name: "editor" })).output);
  await eventually("vi has drawn its screen", async () => (await shows()).includes("The first line."));
  using session = new TerminalSession(["attach", "-c", instance.config, "editor"], {
    rows: 30,
    cols: 100,
    environment: instance.environment,
  });
  // The last row too, and without the row that vi has for messages: 29 rows of text.
  await session.untilShown(/^The first line\.x+\n(?:x{100}\n){28}/);
  session.type("\x1d");
  expect((await session.ended).exitCode).toBe(0);
});

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
  ["SIGINT", 130],
] as const)("mgr attach that is ended by %s leaves the terminal as it was", async (signal, code) => {
  await listens(signal);
  await using desk = await Desk.open(instance, signal);
  await desk.sees(/size 30 100/);
  process.kill(await attached(), signal);
  expect(await desk.left()).toBe(code);
});

test("mgr attach types its piped input, and cuts no character", async () => {
  await listens("reader");
  const child = spawn(process.execPath, [PROGRAM, "attach", "-c", instance.config, "reader"], {
    env: instance.environment,
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(child, "close");
  child.stdin.end(PASTED);
  expect(await ended).toEqual([0, null]);
  const client = await instance.connect();
  await eventually("it has read all of it", async () =>
    String((await client.ask({ type: "get_process_output", name: "reader" })).output).includes("all of it"),
  );
  expect(instance.read("typed") === PASTED).toBe(true);
});

test("mgr attach goes on when the manager comes back, with what was typed meanwhile and no output twice; without a manager, Ctrl-] detaches", async () => {
  await listens("lost");
  await using desk = await Desk.open(instance, "lost");
  await desk.sees(/size 30 100/);
  desk.type("before\r");
  await desk.sees(/got before/);
  instance.kill("manager");
  await desk.sees(/the connection to the manager was closed: .*Reconnecting/);
  desk.type("meanwhile\r");
  await instance.mgr("up", "--detach");
  await desk.sees(/connected again/);
  await desk.sees(/got meanwhile/);
  desk.type("after\r");
  await desk.sees(/got after/);
  for (const said of ["before", "meanwhile", "after"]) expect(desk.text.split(`got ${said}`)).toHaveLength(2);
  instance.kill("manager");
  await desk.sees(/Reconnecting.*Reconnecting/s);
  desk.type("\x1d");
  expect(await desk.left()).toBe(0);
});

test("mgr attach and mgr logs -f within a process refuse to show that process, which would loop", async () => {
  const instance = new Instance({ processes: {} });
  await using _ = instance;
  const mgr = (what: string) => `"${process.execPath}" "${PROGRAM}" ${what} -c "${instance.config}" self; echo "$? of ${what}"`;
  const line = `${mgr("attach")}; ${mgr("logs -f")}; ${mgr("logs -n 1")}; exec sleep 1000`;
  instance.write({ processes: { self: { command: line, shell: true, environment: { XDG_RUNTIME_DIR: `${instance.dir}/run` } } } });
  await instance.mgr("up", "--detach", "self");
  const client = await instance.connect();
  const output = await eventually("all of them have ended", async () => {
    const said = String((await client.ask({ type: "get_process_output", name: "self" })).output);
    return said.includes("of logs -n 1\r\n") ? said : null;
  });
  expect(output).toMatch(/cannot be attached to itself\r\n2 of attach\r\n/);
  expect(output).toMatch(/cannot follow its own output\r\n2 of logs -f\r\n/);
  expect(output).toMatch(/0 of logs -n 1\r\n/);
});
