import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MgrError } from "../../../src/base/errors.ts";
import { startTimeOf } from "../../../src/daemon/proc/proc.ts";
import { keepInheritedFiles } from "../../../src/daemon/process/inherited-files.ts";
import { type Recording, record, shell } from "../support/terminals.ts";

let dir = "";
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "mgr-terminal-"));
});
afterAll(() => rmSync(dir, { recursive: true }));

const descriptors = (pid: number): Record<string, string> =>
  Object.fromEntries(readdirSync(`/proc/${pid}/fd`).map((fd) => [fd, readlinkSync(`/proc/${pid}/fd/${fd}`)]));
const openFiles = (): number => readdirSync("/proc/self/fd").length;

describe("output", () => {
  test("not a byte of 200 runs from 1 byte to 200 kB is lost, and all of it comes before the exit", async () => {
    const sizes = [1, 100, 20_000, 200_000];
    const before = openFiles();
    const lost: string[] = [];
    for (let round = 0; round < 25; round++) {
      const runs = await Promise.all(
        [...sizes, ...sizes].map(async (size) => {
          const run = await record(["head", "-c", `${size}`, "/dev/zero"]);
          const exit = await run.exit;
          run.terminal.close();
          return { size, got: exit.bytesBefore, code: exit.code };
        }),
      );
      for (const run of runs) if (run.got !== run.size || run.code !== 0) lost.push(JSON.stringify(run));
    }
    expect(lost).toEqual([]);
    // Files that earlier tests have closed may disappear from the list meanwhile.
    await expect.poll(openFiles).toBeLessThanOrEqual(before);
  });

  test("output without a final newline is delivered at once, not at the exit", async () => {
    const run = await record(shell("printf 'Password: '; read answer; printf '%s' \"<$answer>\""));
    await run.until(/Password: $/);
    run.terminal.write(Buffer.from("secret\n"));
    expect(await run.exit).toMatchObject({ code: 0 });
    expect(run.text()).toContain("<secret>");
    run.terminal.close();
  });
});

describe("exit", () => {
  test.each([
    ["exit 0", { code: 0, signal: null }],
    ["exit 3", { code: 3, signal: null }],
    ["kill -TERM $$", { code: null, signal: "SIGTERM" }],
    ["kill -KILL $$", { code: null, signal: "SIGKILL" }],
    ["kill -SEGV $$", { code: null, signal: "SIGSEGV" }],
  ])("'%s' is reported correctly", async (line, expected) => {
    const run = await record(shell(line));
    expect(await run.exit).toMatchObject(expected);
    run.terminal.close();
  });

  test("a grandchild that keeps the terminal open does not delay the exit, and its output is kept until the terminal closes", async () => {
    const run = await record(shell("trap '' HUP; (read go <$0; echo late) & echo early; exit 4".replace("$0", await fifo("grandchild"))));
    const exit = await run.exit;
    expect(exit.code).toBe(4);
    expect(run.text()).toContain("early");
    writeFileSync(join(dir, "grandchild"), "go\n");
    await run.until(/late/);
    run.terminal.close();
  });

  test("a grandchild that floods the terminal does not delay the exit either", async () => {
    const run = await record(shell("trap '' HUP; yes & echo $!; exit 5"));
    expect(await run.exit).toMatchObject({ code: 5 });
    const flooder = Number(/(\d+)\r\n/.exec(run.text())?.[1]);
    process.kill(flooder, "SIGKILL");
    run.terminal.close();
  });
});

describe("a child has", () => {
  test("a session and a controlling terminal of its own, and the terminal's size", async () => {
    const run = await record(["/bin/sh", "-c", "stty size; tty; ps -o pid=,sid=,tpgid= -p $$; echo done; read wait"], {
      rows: 31,
      cols: 97,
    });
    const text = await run.until(/done/);
    expect(text).toContain("31 97\r\n");
    expect(text).toContain(`${run.terminal.path}\r\n`);
    const [pid, session] = /^ *(\d+) +(\d+) +\d+\r$/m.exec(text)?.slice(1) ?? [];
    expect([pid, session]).toEqual([`${run.terminal.pid}`, `${run.terminal.pid}`]);
    run.terminal.write(Buffer.from("\n"));
    await run.exit;
    run.terminal.close();
  });

  test("the start time that the kernel reports for it", async () => {
    // The first ones are compared with the clock, most of the others are told by it.
    const runs = await Promise.all(Array.from({ length: 20 }, () => record(["sleep", "60"])));
    const received = runs.map(({ terminal }) => terminal.startTime);
    const read = runs.map(({ terminal }) => startTimeOf(terminal.pid));
    for (const { terminal } of runs) process.kill(terminal.pid, "SIGKILL");
    await Promise.all(runs.map((run) => run.exit));
    for (const { terminal } of runs) terminal.close();
    expect(received).toEqual(read);
  });

  test("its own terminal as 0, 1 and 2, and no other file, however many terminals are open", async () => {
    keepInheritedFiles();
    const runs = await Promise.all(Array.from({ length: 5 }, () => record(shell("echo ready; read wait"))));
    await Promise.all(runs.map((run) => run.until(/ready/)));
    const seen = runs.map(({ terminal }) => descriptors(terminal.pid));
    for (const run of runs) run.terminal.write(Buffer.from("\n"));
    await Promise.all(runs.map((run) => run.exit));
    for (const run of runs) run.terminal.close();
    expect(seen).toEqual(runs.map(({ terminal }) => ({ 0: terminal.path, 1: terminal.path, 2: terminal.path })));
  });

  test("exactly its environment, variables with odd names among it", async () => {
    const run = await record(["env"], { environment: { PATH: "/usr/bin:/bin", "odd.name": "1", EMPTY: "", TEXT: "a=b\nc" } });
    await run.exit;
    const variables = run.text().replaceAll("\r\n", "\n");
    for (const line of ["odd.name=1", "EMPTY=", "TEXT=a=b\nc", "PATH=/usr/bin:/bin"]) expect(variables).toContain(`${line}\n`);
    expect(variables).not.toContain("HOME=");
    run.terminal.close();
  });

  test("a line discipline that erases whole characters", async () => {
    const run = await record(shell("echo ready; read word; printf '<%s>' \"$word\""));
    await run.until(/ready/);
    run.terminal.write(Buffer.from("aü\x7f\n"));
    await run.exit;
    expect(run.text()).toContain("<a>");
    run.terminal.close();
  });

  test("a new size reaches it with SIGWINCH", async () => {
    const run = await record(shell("trap 'stty size; exit 0' WINCH; echo ready; while :; do sleep 0.01; done"));
    await run.until(/ready/);
    run.terminal.resize(50, 132);
    await run.until(/50 132/);
    await run.exit;
    run.terminal.close();
    expect(() => run.terminal.resize(60, 60)).not.toThrow();
  });
});

describe("a program that cannot be started is refused with a sentence", () => {
  const reason = async (argv: string[], options: Parameters<typeof record>[1] = {}): Promise<string> => {
    const before = openFiles();
    const error = await record(argv, options).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(MgrError);
    expect((error as MgrError).code).toBe("spawn_failed");
    await expect.poll(openFiles).toBeLessThanOrEqual(before);
    return (error as MgrError).message;
  };

  test("not in PATH", async () => {
    expect(await reason(["no-such-program"], { environment: { PATH: "/usr/bin:/bin" } })).toBe(
      "there is no program 'no-such-program' in PATH (/usr/bin:/bin); check the command, or give its whole path",
    );
  });
  test("not at its path", async () => expect(await reason(["./missing"])).toContain("'./missing' does not exist"));
  test("a directory", async () => expect(await reason(["/usr"])).toContain("is a directory"));
  test("not executable", async () => {
    writeFileSync(join(dir, "plain"), "#!/bin/sh\n");
    chmodSync(join(dir, "plain"), 0o644);
    expect(await reason([join(dir, "plain")])).toContain("may not be executed");
    expect(await reason(["plain"], { environment: { PATH: `/usr/bin:${dir}` } })).toContain("may not be executed");
  });
  test("no working directory", async () =>
    expect(await reason(["true"], { cwd: "/no/such/dir" })).toContain("the working directory '/no/such/dir' does not exist"));
  test("a file as working directory", async () => expect(await reason(["true"], { cwd: "/etc/passwd" })).toContain("is not a directory"));
  test("an empty command", async () => expect(await reason([""])).toContain("the command is empty"));
  test("a NUL in a word", async () => expect(await reason(["true", "a\0b"])).toContain("NUL"));
  test("more arguments than the kernel accepts", async () =>
    expect(await reason(["true", "x".repeat(3_000_000)])).toContain("longer than the kernel allows"));

  test("what cannot be executed does not hide a program behind it in PATH", async () => {
    const [first, second] = [join(dir, "first"), join(dir, "second")];
    for (const folder of [first, second]) mkdirSync(folder);
    writeFileSync(join(first, "tool"), "#!/bin/sh\necho hidden\n", { mode: 0o644 });
    writeFileSync(join(second, "tool"), "#!/bin/sh\necho behind\n", { mode: 0o755 });
    const run = await record(["tool"], { environment: { PATH: `${first}:${second}` } });
    await run.exit;
    expect(run.text()).toContain("behind");
    run.terminal.close();
  });

  test("a relative program is looked for from the working directory", async () => {
    writeFileSync(join(dir, "tool"), "#!/bin/sh\necho from-cwd\n");
    chmodSync(join(dir, "tool"), 0o755);
    const run = await record(["./tool"], { cwd: dir });
    await run.exit;
    expect(run.text()).toContain("from-cwd");
    run.terminal.close();
  });
});

describe("writing", () => {
  const deaf = (): Promise<Recording> => record(shell("stty raw -echo; echo ready; exec sleep 60"));
  const end = async (run: Recording): Promise<void> => {
    process.kill(run.terminal.pid, "SIGKILL");
    await run.exit;
    run.terminal.close();
  };

  test("a child that never reads makes the queue full at 1 MiB", async () => {
    const run = await deaf();
    await run.until(/ready/);
    for (let written = 0; written < 1024 * 1024; written += 65_536) run.terminal.write(Buffer.alloc(65_536, "x"));
    // What the kernel took has made a little room; no more than that.
    expect(() => run.terminal.write(Buffer.alloc(65_536))).toThrow(expect.objectContaining({ code: "busy" }));
    await end(run);
  });

  test("what waits for a killed child is never written to the file that gets its descriptor", async () => {
    const run = await deaf();
    await run.until(/ready/);
    run.terminal.write(Buffer.alloc(1024 * 1024, "x"));
    await end(run);
    const files = Array.from({ length: 8 }, (_, index) => join(dir, `victim-${index}`));
    const fds = files.map((file) => openSync(file, "w"));
    run.terminal.write(Buffer.from("more"));
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (const fd of fds) closeSync(fd);
    expect(files.map((file) => readFileSync(file).length)).toEqual(files.map(() => 0));
  });

  test("300 kB arrive whole and in order at a child that reads slowly", async () => {
    const run = await record(shell("stty raw -echo; echo ready; head -c 300000 | sha256sum"));
    await run.until(/ready/);
    const text = Buffer.from(Array.from({ length: 300_000 / 10 }, (_, index) => `${index}`.padStart(10, "-")).join(""));
    for (let offset = 0; offset < text.length; offset += 50_000) run.terminal.write(text.subarray(offset, offset + 50_000));
    await run.exit;
    const { createHash } = await import("node:crypto");
    expect(run.text()).toContain(createHash("sha256").update(text).digest("hex"));
    run.terminal.close();
  });
});

async function fifo(name: string): Promise<string> {
  const { execFileSync } = await import("node:child_process");
  execFileSync("mkfifo", [join(dir, name)]);
  return join(dir, name);
}
