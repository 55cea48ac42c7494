import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Instance, PROGRAM } from "../support/instance.ts";
import { SecondUser } from "../support/second-user.ts";
import { ECHO } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

const isRoot = process.getuid?.() === 0;
const PROCESSES = {
  processes: { plain: { command: ECHO }, logged: { command: "echo secret; exec sleep 1000", log_file: "logs/logged.log" } },
};
/** What a planted file would have run as this user. */
const PROOF = "touch stolen";

describe.runIf(isRoot)("another user of the machine", () => {
  let mallory: SecondUser;
  /** A folder that the other user can enter, as a checkout or a home folder may be. */
  let open: string;
  beforeAll(() => {
    mallory = new SecondUser();
    open = mkdtempSync(join(tmpdir(), "mgr-other-users-"));
    chmodSync(open, 0o755);
  });
  afterAll(() => {
    rmSync(open, { recursive: true, force: true });
    mallory[Symbol.dispose]();
  });

  /** An instance that was not started yet, in a folder that the other user can enter. */
  function made(configuration = PROCESSES): Instance {
    const dir = mkdtempSync(join(open, "instance-"));
    chmodSync(dir, 0o755);
    return new Instance(configuration, dir);
  }

  const give = (path: string) => chownSync(path, mallory.uid, mallory.uid);
  const mode = (path: string) => (statSync(path).mode & 0o7777).toString(8).padStart(4, "0");

  /** A complete file of requested states that starts `plain` with another command. */
  const planted = JSON.stringify({
    version: 1,
    epoch: 1,
    last_log_id: 0,
    processes: { plain: { requested_state: "start", settings: { which: "default", overrides: [["default", PROOF]] } } },
  });

  /** `mgr up` does not start, names what is wrong, and nothing that was planted has run. */
  async function refused(instance: Instance, ...words: string[]): Promise<void> {
    const { code, stderr } = await instance.run("up", "--detach", "-c", instance.config);
    expect({ code: code === 0, stderr }).toEqual({ code: false, stderr: expect.any(String) });
    for (const word of words) expect(stderr).toContain(word);
    expect(existsSync(join(instance.dir, "stolen"))).toBe(false);
    expect(instance.living()).toEqual([]);
  }

  test("is an operator on a socket of its own as a member of access.local_operators, and nothing without", async () => {
    const instance = made();
    const access = { local_operators: mallory.name };
    instance.write({ ...PROCESSES, access });
    await instance.mgr("up", "--detach");
    const { stdout: log } = await instance.mgr("log", "--lines", "1000");
    const [, socket = ""] = /are operators with: mgr … --socket (\S+)/.exec(log) ?? [];
    expect([mode(dirname(socket)), statSync(dirname(socket)).gid, mode(socket)]).toEqual(["0710", mallory.uid, "0660"]);
    const mgr = (...words: string[]) => mallory.run(`MGR_SOCKET='${socket}' '${process.execPath}' '${PROGRAM}' ${words.join(" ")}`);
    expect(mgr("start", "plain")).toMatchObject({ status: 0 });
    expect(mgr("ps")).toMatchObject({ status: 0, stdout: expect.stringContaining("plain") });
    expect((await instance.mgr("audit", "--user", `operator:${mallory.name}`)).stdout).toContain("start_process");
    const forbidden = mgr("call", `'{"type":"request_plan"}'`);
    expect(`${forbidden.stdout}${forbidden.stderr}`).toContain("needs the role admin");
    // The socket for the manager's own user stays closed to the group.
    expect(mallory.run(`test -x '${dirname(instance.lockOf("manager").socket)}'`).status).not.toBe(0);
    instance.write(PROCESSES);
    await instance.mgr("reload");
    expect(mgr("ps").status).not.toBe(0);
    await instance.mgr("down");
    expect(existsSync(dirname(socket))).toBe(false);
    await instance[Symbol.asyncDispose]();
  });

  describe("finds nothing to read, write or connect to while a manager runs, even one that was started under umask 0", () => {
    let instance: Instance;
    const as = (line: string) => mallory.run(line);
    beforeAll(async () => {
      instance = made();
      // As a user's shell without a umask would start it.
      const before = process.umask(0);
      try {
        await instance.mgr("up", "--detach", "--all");
        expect(await instance.run("record", "start", "flight", "-c", instance.config)).toMatchObject({ code: 0 });
        await eventually("output is in the log file", () => existsSync(join(instance.dir, "logs/logged.log")));
      } finally {
        process.umask(before);
      }
    });
    afterAll(() => instance[Symbol.asyncDispose]());

    test("no file of the state folder, the sockets, the auth file and the logs can be read", () => {
      const readable = mallory.find(instance.dir, "-type f -readable");
      expect(readable).toEqual([instance.config]);
      expect(mallory.find(instance.stateDir, "-mindepth 1")).toEqual([]);
      for (const file of ["bus.url", "bus.json", "intent.json", "manager.log", "manager.lock"]) {
        expect(existsSync(join(instance.stateDir, file)), file).toBe(true);
        expect(as(`cat ${join(instance.stateDir, file)}`)).toMatchObject({ status: 1, stdout: "" });
      }
      expect(as(`cat ${instance.authFile}`)).toMatchObject({ status: 1, stdout: "" });
    });

    test("no file and no folder can be written", () => {
      expect(mallory.find(instance.dir, "-writable")).toEqual([]);
      for (const path of [join(instance.dir, "logs"), instance.stateDir]) expect(as(`touch ${path}/x`).status).not.toBe(0);
      expect(mode(join(instance.dir, "logs/logged.log"))).toBe("0600");
    });

    test("its bytecode has modes that others cannot write", () => {
      for (const folder of ["dist", "dist/program"]) {
        const cache = join(dirname(dirname(PROGRAM)), folder, "code-cache");
        expect(existsSync(cache), cache).toBe(true);
        expect(mallory.find(cache, "-writable")).toEqual([]);
      }
    });

    test("the sockets for commands and of the bus do not accept it, not even in folders that were opened", () => {
      const folder = dirname(instance.lockOf("manager").socket);
      const connect = (path: string) => {
        const script = `const s = require("net").connect(process.argv[1]); s.on("error", (e) => { console.log(e.code); process.exit(); });
          s.on("data", (d) => console.log("data", String(d))); s.on("close", () => { console.log("closed"); process.exit(); });
          s.on("connect", () => s.write("GET /mgr/log HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n"));`;
        return as(`'${process.execPath}' -e '${script.replaceAll("'", `'\\''`)}' '${path}'`).stdout;
      };
      for (const name of ["control.sock", "bus.sock"]) {
        expect(existsSync(join(folder, name)), name).toBe(true);
        expect(connect(join(folder, name))).toBe("EACCES\n");
      }
      const runtime = dirname(dirname(folder));
      const control = join(folder, "control.sock");
      for (const path of [runtime, dirname(folder), folder]) chmodSync(path, 0o755);
      chmodSync(control, 0o666);
      try {
        const answer = connect(control);
        expect(answer).not.toContain("200");
        // It is refused before or while it writes.
        expect(answer).toMatch(/^(closed|ECONNRESET|EPIPE)\n$/);
      } finally {
        chmodSync(control, 0o600);
        for (const path of [folder, dirname(folder), runtime]) chmodSync(path, 0o700);
      }
    });

    test("the port and the bus of the host refuse it without a login or a token", () => {
      expect(as(`'${process.execPath}' -e 'fetch("${instance.url}/").then((r) => console.log(r.status))'`).stdout).toBe("401\n");
      const { hostname, port } = new URL(readFileSync(join(instance.stateDir, "bus.url"), "utf8").trim());
      const script = `const s = require("net").connect(${port}, "${hostname}"); s.on("data", (d) => console.log(String(d)));
        s.on("close", () => process.exit()); s.write("CONNECT {}\\r\\nSUB > 1\\r\\nPING\\r\\n");`;
      const said = as(`'${process.execPath}' -e '${script}'`).stdout;
      expect(said).toContain("Authorization");
      expect(said).not.toContain("PONG");
    });

    test("no secret is on a command line or in an environment that it can read", () => {
      const token = new URL(readFileSync(join(instance.stateDir, "bus.url"), "utf8").trim()).username;
      expect(token.length).toBeGreaterThan(20);
      const { stdout } = as("cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'");
      expect(stdout).toContain("cat");
      for (const secret of [token, instance.password]) expect(stdout).not.toContain(secret);
    });

    test("its commands find no manager, and do not learn what runs", () => {
      const ps = as(`cd '${instance.dir}' && '${process.execPath}' '${PROGRAM}' ps`);
      expect(ps.status).not.toBe(0);
      expect(ps.stdout).toBe("");
    });
  });

  describe("cannot have a state folder of its own used", () => {
    test("a folder that belongs to it", async () => {
      await using instance = made();
      mkdirSync(instance.stateDir, { mode: 0o755 });
      writeFileSync(join(instance.stateDir, "intent.json"), planted);
      give(instance.stateDir);
      await refused(instance, instance.stateDir, `owner ${mallory.name}, mode 0755`, `mv ${instance.stateDir} `);
    });

    test("a folder that every user can write", async () => {
      await using instance = made();
      mkdirSync(instance.stateDir);
      chmodSync(instance.stateDir, 0o777);
      expect(mallory.run(`echo '${planted}' >${instance.stateDir}/intent.json`).status).toBe(0);
      await refused(instance, instance.stateDir, "owner root, mode 0777", `chmod go-w ${instance.stateDir}`);
      // What was planted stays refused when the folder is mended.
      chmodSync(instance.stateDir, 0o755);
      await refused(
        instance,
        join(instance.stateDir, "intent.json"),
        `owner ${mallory.name}, mode 0644`,
        `rm ${instance.stateDir}/intent.json`,
      );
    });

    test("a folder behind its symbolic link, also further up in the path", async () => {
      await using instance = made();
      const shared = join(instance.dir, "shared");
      mkdirSync(shared);
      chmodSync(shared, 0o1777);
      expect(mallory.run(`mkdir -m 755 ${shared}/own ${shared}/own/state && ln -s own ${shared}/link`).status).toBe(0);
      for (const state_dir of [`${shared}/link/state`, `${shared}/own/state`]) {
        instance.write({ ...PROCESSES, instance: { state_dir } });
        await refused(instance, state_dir.replace("/state", ""), `owner ${mallory.name}`);
      }
      instance.write({ ...PROCESSES, instance: { state_dir: `${shared}/link` } });
      await refused(instance, `${shared}/link`, "symbolic link", `rm ${shared}/link`);
    });

    test("the state folder of a daemon for another machine's manager", async () => {
      await using instance = made();
      mkdirSync(instance.stateDir);
      give(instance.stateDir);
      const args = ["--bus", "ws://127.0.0.1:9", "--host", "h1", "--state-dir", instance.stateDir];
      const { code, stderr } = await instance.run("daemon", ...args);
      expect(code).toBe(1);
      expect(stderr).toContain(`${instance.stateDir} belongs to another user (owner ${mallory.name}`);
    });

    test("a runtime folder that su has passed on: sockets are elsewhere", async () => {
      await using instance = made();
      const runtime = join(instance.dir, "run");
      give(runtime);
      await instance.mgr("up", "--detach");
      expect(instance.lockOf("manager").socket).not.toContain(runtime);
      expect(readdirSync(runtime)).toEqual([]);
      await instance.mgr("down");
      expect(readFileSync(join(instance.stateDir, "manager.log"), "utf8")).toContain(`${runtime} belongs to another user`);
    });
  });

  describe("cannot plant files in a state folder that it could write earlier", () => {
    /** Files that keep the manager from starting, as they decide what it does. */
    const NEEDED = ["instance.json", "manager.lock", "intent.json", "intent.journal", "manager.log", "manager.stderr"];
    const REFUSING_DAEMON = ["daemon.lock", "daemon.json", "daemon.log", "daemon.stderr"];

    test.each([...NEEDED, ...REFUSING_DAEMON])("a named pipe in the place of %s is refused at once", async (file) => {
      await using instance = made();
      mkdirSync(instance.stateDir, { mode: 0o700 });
      const pipe = join(instance.stateDir, file);
      expect(spawnSync("mkfifo", [pipe]).status).toBe(0);
      give(pipe);
      const { stderr } = await instance.run("up", "--detach", "-c", instance.config);
      // The end of the instance reads its locks.
      rmSync(pipe);
      expect(stderr).toContain(`${pipe} is a named pipe (owner ${mallory.name}, mode 0644), not a regular file. Remove it: rm ${pipe}`);
      if (NEEDED.includes(file)) expect(instance.living()).toEqual([]);
    });

    test("named pipes in the place of files that can be made anew are reported and replaced", async () => {
      await using instance = made();
      mkdirSync(instance.stateDir, { mode: 0o700 });
      const files = ["bus.json", "bus.url", "recordings.json", "loggers.json", "displays.json", "client-ids", "manager.url", "runs.log"];
      for (const file of files) expect(spawnSync("mkfifo", [join(instance.stateDir, file)]).status).toBe(0);
      await instance.mgr("up", "--detach", "--all");
      const log = () => ["manager.log", "daemon.log"].map((file) => readFileSync(join(instance.stateDir, file), "utf8")).join("");
      for (const file of ["bus.json", "recordings.json", "loggers.json", "displays.json", "client-ids", "runs.log"])
        await eventually(`${file} is reported`, () => log().includes(`${join(instance.stateDir, file)} is a named pipe (owner root`));
      for (const file of ["bus.json", "bus.url", "client-ids", "manager.url"])
        expect(statSync(join(instance.stateDir, file)).isFile()).toBe(true);
    });

    test("a link in the place of manager.log is not written through", async () => {
      await using instance = made();
      mkdirSync(instance.stateDir, { mode: 0o700 });
      const target = join(instance.dir, "precious");
      writeFileSync(target, "precious\n");
      const log = join(instance.stateDir, "manager.log");
      symlinkSync(target, log);
      await refused(instance, `${log} is a symbolic link (owner root, mode 0777)`, `rm ${log}`);
      expect(readFileSync(target, "utf8")).toBe("precious\n");
      expect(readlinkSync(log)).toBe(target);
    });

    test("a file that others can write is refused with the command that mends it", async () => {
      await using instance = made();
      mkdirSync(instance.stateDir, { mode: 0o700 });
      const file = join(instance.stateDir, "intent.json");
      writeFileSync(file, planted);
      chmodSync(file, 0o662);
      await refused(instance, `${file} can be written by other users (owner root, mode 0662)`, `chmod go-w ${file}`);
      chmodSync(file, 0o600);
      await instance.mgr("up", "--detach");
      await eventually("what the user has saved runs", () => existsSync(join(instance.dir, "stolen")));
    });
  });

  describe("cannot change the configuration", () => {
    const COMMANDS = [["check"], ["up", "--detach"], ["daemon"]];

    test("a file that every user can write is refused by check, up and daemon, unless it is trusted", async () => {
      await using instance = made();
      chmodSync(instance.config, 0o666);
      for (const command of COMMANDS) {
        const { code, stderr } = await instance.run(...command, "-c", instance.config);
        expect(code, String(command)).toBe(2);
        expect(stderr).toContain("can be written by every user (owner root, mode 0666)");
        expect(stderr).toContain(`chmod go-w ${instance.config}`);
        expect(stderr).toContain("--trust-config");
      }
      expect(instance.living()).toEqual([]);
      await instance.mgr("check", "--trust-config");
      await instance.mgr("up", "--detach", "--trust-config", "plain");
      expect((await instance.mgr("ps")).stdout).toContain("plain");
      await instance.mgr("reload");
    });

    test("neither can the members of a group; a group that holds only the owner is fine", async () => {
      await using instance = made();
      chmodSync(instance.config, 0o664);
      await instance.mgr("check");
      chownSync(instance.config, 0, mallory.uid);
      const { code, stderr } = await instance.run("check", "-c", instance.config);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("other members of its group") });
      // As the other user: its own file with its own group.
      give(instance.config);
      chmodSync(instance.config, 0o660);
      expect(mallory.run(`'${process.execPath}' '${PROGRAM}' check -c '${instance.config}'`)).toMatchObject({ status: 0, stderr: "" });
    });

    test("a file that belongs to it is refused, and an included one; files of root are used by every user", async () => {
      await using instance = made();
      const more = join(instance.dir, "more.yaml");
      writeFileSync(more, JSON.stringify({ processes: { extra: { command: PROOF, autostart: true } } }));
      instance.write({ ...PROCESSES, include: ["more.yaml"] } as typeof PROCESSES);
      expect(mallory.run(`'${process.execPath}' '${PROGRAM}' check -c '${instance.config}'`)).toMatchObject({ status: 0, stderr: "" });
      for (const change of [() => give(more), () => chmodSync(more, 0o666)]) {
        chownSync(more, 0, 0);
        chmodSync(more, 0o644);
        change();
        const { code, stderr } = await instance.run("up", "--detach", "-c", instance.config);
        expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("more.yaml") });
        expect(stderr).toMatch(/belongs to another user|can be written by every user/);
      }
      expect(existsSync(join(instance.dir, "stolen"))).toBe(false);
      await instance.mgr("up", "--detach", "--trust-config");
      await eventually("what the user trusts runs", () => existsSync(join(instance.dir, "stolen")));
    });

    test("a running manager does not reload a file that others can change by then", async () => {
      await using instance = made();
      await instance.mgr("up", "--detach");
      instance.write({ processes: { ...PROCESSES.processes, extra: { command: PROOF, autostart: true } } } as typeof PROCESSES);
      chmodSync(instance.config, 0o666);
      const { code, stderr } = await instance.run("reload", "-c", instance.config);
      expect({ code: code === 0, stderr }).toEqual({ code: false, stderr: expect.stringContaining("can be written by every user") });
      expect(existsSync(join(instance.dir, "stolen"))).toBe(false);
      chmodSync(instance.config, 0o644);
      await instance.mgr("reload");
      await eventually("the new process runs", () => existsSync(join(instance.dir, "stolen")));
    });

    test("root can command its manager nevertheless, but has to trust its configuration explicitly", async () => {
      await using instance = made();
      for (const path of [instance.dir, instance.config, join(instance.dir, "run"), instance.authFile]) give(path);
      const own = `cd '${instance.dir}' && MGR_E2E_MARK=${instance.mark} XDG_RUNTIME_DIR='${join(instance.dir, "run")}'`;
      const up = mallory.run(`${own} '${process.execPath}' '${PROGRAM}' up --detach plain`);
      expect(up).toMatchObject({ status: 0 });
      const refusal = await instance.run("ps", "-c", instance.config);
      expect({ code: refusal.code, stderr: refusal.stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining("belongs to another user"),
      });
      expect((await instance.mgr("ps", "--trust-config")).stdout).toContain("plain");
      await instance.mgr("down", "--trust-config");
    });
  });
});
