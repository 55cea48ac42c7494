import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { MgrError } from "../../../src/base/errors.ts";
import type { RunReport, RunSpec } from "../../../src/contract/run.ts";
import { soak } from "../../support/soak.ts";
import { HostRig, spec } from "../support/hosts.ts";

const ROUNDS = soak(25, 200);
const isRoot = process.getuid?.() === 0;
const folder = mkdtempSync(join(tmpdir(), "mgr-restrictions-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MgrError);
  expect((error as MgrError).code).toBe("spawn_failed");
  return (error as MgrError).message;
}

/** What a program prints that is run so. */
async function output(changes: Partial<RunSpec>, line: string): Promise<string> {
  await using rig = await HostRig.open();
  const run = await rig.spawn(spec("p", line, changes));
  rig.watch("p");
  const { run: end } = await rig.event(run, "extinct");
  expect(end.exit, rig.sent("p")).toMatchObject({ code: 0 });
  return rig.sent("p").replaceAll("\r\n", "\n");
}

const field = (text: string, name: string) => new RegExp(`^${name}:\\s*(.*)$`, "m").exec(text)?.[1]?.replaceAll("\t", " ");
const statusOf = (run: RunReport) => readFile(`/proc/${run.pid}/status`, "utf8");

describe("limits", () => {
  test("hold for the program from its first instruction on, soft and hard", async () => {
    const text = await output(
      {
        limits: {
          nofile: { soft: 100, hard: 200 },
          core: { soft: 0, hard: 0 },
          cpu: { soft: 7, hard: 9 },
          stack: { soft: null, hard: null },
        },
      },
      "cat /proc/self/limits",
    );
    expect(text).toMatch(/^Max open files +100 +200 /m);
    expect(text).toMatch(/^Max core file size +0 +0 /m);
    expect(text).toMatch(/^Max cpu time +7 +9 /m);
    expect(text).toMatch(/^Max stack size +unlimited +unlimited /m);
  });

  test("are reported by ulimit", async () => {
    expect(
      await output({ limits: { nofile: { soft: 64, hard: 64 }, fsize: { soft: 1_048_576, hard: 1_048_576 } } }, "ulimit -n; ulimit -f"),
    ).toBe("64\n2048\n");
  });

  test("do not affect the limit by which runs are tagged: a process without any other mark is still found", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(spec("p", "env -i setsid sleep 60 & echo up; wait", { limits: { nofile: { soft: 50, hard: 50 } } }));
    rig.watch("p");
    await rig.said("p", /up/);
    expect(await readFile(`/proc/${run.pid}/limits`, "utf8")).toMatch(/^Max file locks +\d{15} /m);
    await rig.host.request("stop", { session: rig.session, run_id: run.run_id, steps: [{ signal: "SIGTERM", timeout_ms: 60_000 }] });
    await rig.event(run, "extinct");
  });

  test("that the kernel refuses are spawn_failed with its reason, and nothing is left", async () => {
    await using rig = await HostRig.open();
    const message = await refusal(rig.spawn(spec("p", "true", { limits: { nofile: { soft: null, hard: null } } })));
    expect(message).toBe("the kernel refuses the limit 'nofile' of unlimited: EPERM (it is not permitted to this daemon's user)");
    expect(await refusal(rig.spawn(spec("q", "true", { limits: { nofile: { soft: 9, hard: 8 } } })))).toContain("of 9 (hard 8): EINVAL");
    expect(rig.host.livingRuns).toBe(0);
  });
});

describe("scheduling", () => {
  test("affinity and nice apply to the program and its children", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(
      spec("p", "sleep 60 & echo up $!; wait", { scheduling: { policy: null, prio: null, affinity: [0], nice: 7 } }),
    );
    rig.watch("p");
    await rig.said("p", /up \d+/);
    const child = Number(/up (\d+)/.exec(rig.sent("p"))?.[1]);
    for (const pid of [run.pid, child]) {
      expect(field(await readFile(`/proc/${pid}/status`, "utf8"), "Cpus_allowed_list")).toBe("0");
      expect((await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ")[16]).toBe("7");
    }
  });

  test("policy batch and idle are shown by /proc", async () => {
    for (const policy of [3, 5]) {
      const text = await output({ scheduling: { policy, prio: null, affinity: null, nice: null } }, "cat /proc/self/stat");
      expect(text.split(") ")[1]?.split(" ")[38]).toBe(String(policy));
    }
  });

  test.runIf(isRoot)("real-time policies have their priority, the lowest if none is given", async () => {
    const read = async (policy: number, prio: number | null) => {
      const stat = (await output({ scheduling: { policy, prio, affinity: null, nice: null } }, "cat /proc/self/stat"))
        .split(") ")[1]
        ?.split(" ");
      return [stat?.[38], stat?.[37]];
    };
    expect(await read(1, 20)).toEqual(["1", "20"]);
    expect(await read(2, null)).toEqual(["2", "1"]);
  });

  test("that the kernel refuses is spawn_failed with its reason", async () => {
    await using rig = await HostRig.open();
    const scheduling = { policy: null, prio: null, affinity: null, nice: null };
    expect(await refusal(rig.spawn(spec("p", "true", { scheduling: { ...scheduling, affinity: [8_000] } })))).toBe(
      "the kernel refuses the affinity to CPU 8000: EINVAL (the value is not valid on this machine)",
    );
    expect(await refusal(rig.spawn(spec("q", "true", { scheduling: { ...scheduling, policy: 0, prio: 5 } })))).toBe(
      "the kernel refuses the scheduling policy 'other' with priority 5: EINVAL (the value is not valid on this machine)",
    );
    expect(rig.host.livingRuns).toBe(0);
  });
});

describe("umask", () => {
  test("applies to the program", async () => {
    expect(await output({ umask: 0o027 }, "umask")).toBe("0027\n");
    expect(await output({ umask: 0 }, "umask")).toBe("0000\n");
  });
});

describe.runIf(isRoot)("a user", () => {
  const nobody = "nobody";

  test("sets ids, all groups, a terminal of its own and the variables of a login; the daemon stays root", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(
      spec("p", 'id -un; id -u; echo "$HOME $USER $LOGNAME"; stat -c %U "$(tty)"; : < "$(tty)" && echo opened; sleep 60', {
        user: nobody,
        inherited: { PATH: "/usr/bin:/bin", HOME: "/root", USER: "root" },
      }),
    );
    rig.watch("p");
    await rig.said("p", /opened\r\n/);
    expect(rig.sent("p")).toBe("nobody\r\n65534\r\n/nonexistent nobody nobody\r\nnobody\r\nopened\r\n");
    const status = await statusOf(run);
    expect(field(status, "Uid")).toBe("65534 65534 65534 65534");
    expect(field(status, "Gid")).toBe("65534 65534 65534 65534");
    expect(field(status, "CapEff")).toBe("0000000000000000");
    expect(field(status, "CapPrm")).toBe("0000000000000000");
    const own = await readFile("/proc/self/status", "utf8");
    expect(field(own, "Uid")).toBe("0 0 0 0");
    expect(field(own, "Gid")).toBe("0 0 0 0");
    expect(field(own, "CapEff")).not.toBe("0000000000000000");
  });

  test("has its supplementary groups, and none of the daemon's", async () => {
    const accounts = await readFile("/etc/group", "utf8");
    const member = accounts
      .split("\n")
      .map((line) => line.split(":"))
      // Accounts of other tests begin with "mgr", and may vanish at any time.
      .find(([, , , members = ""]) => members !== "" && !members.split(",").some((name) => name === "root" || name.startsWith("mgr")));
    const user = member?.[3]?.split(",")[0] ?? nobody;
    const expected = (await import("node:child_process")).execFileSync("id", ["-G", user], { encoding: "utf8" }).trim().split(" ").sort();
    const text = await output({ user }, "id -G");
    expect(text.trim().split(" ").sort()).toEqual(expected);
  });

  test("may be given by number; the environment of the configuration overrides that of the account", async () => {
    expect(await output({ user: "65534", environment: { HOME: "/tmp" } }, 'echo "$(id -un) $HOME"')).toBe("nobody /tmp\n");
  });

  test("together with limits, scheduling and umask gets all of them, also those that only root may set", async () => {
    const text = await output(
      {
        user: nobody,
        umask: 0o077,
        limits: { nofile: { soft: 300, hard: 300 } },
        scheduling: { policy: 2, prio: 3, affinity: [0], nice: -5 },
      },
      "id -un; umask; ulimit -n; cat /proc/self/stat",
    );
    const [name, umask, nofile, stat] = text.split("\n");
    expect([name, umask, nofile, stat?.split(") ")[1]?.split(" ")[38]]).toEqual(["nobody", "0077", "300", "2"]);
  });

  test("is in effect before the process is restricted, each time", async () => {
    await using rig = await HostRig.open();
    const limits = { nofile: { soft: 300, hard: 300 } };
    for (let round = 0; round < ROUNDS; round++) {
      const run = await rig.spawn(spec(`p${round}`, "", { user: nobody, limits, program: { kind: "exec", argv: ["/bin/true"] } }));
      expect((await rig.event(run, "extinct")).run.exit).toMatchObject({ code: 0 });
    }
  });

  test("that does not exist, a folder that it may not enter and a program that it may not execute are spawn_failed", async () => {
    await using rig = await HostRig.open();
    expect(await refusal(rig.spawn(spec("a", "true", { user: "no-such-user" })))).toBe(
      "there is no user 'no-such-user' in /etc/passwd; change 'user' or create the account",
    );
    chownSync(folder, 0, 0);
    expect(await refusal(rig.spawn(spec("b", "true", { user: nobody, cwd: folder })))).toContain("may not be entered");
    expect(await refusal(rig.spawn(spec("c", "", { user: nobody, program: { kind: "exec", argv: [join(folder, "x")] } })))).toContain(
      join(folder, "x"),
    );
    expect(field(await readFile("/proc/self/status", "utf8"), "Uid")).toBe("0 0 0 0");
  });

  test("may lack access to parts of PATH", async () => {
    const closed = mkdtempSync(join(folder, "closed-"));
    const inherited = { PATH: `${closed}:/usr/bin:/bin` };
    expect(await output({ user: nobody, inherited, program: { kind: "exec", argv: ["id", "-un"] } }, "")).toBe("nobody\n");
  });

  test("is stopped and killed with its whole tree like any other", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(
      spec("p", "trap '' TERM; env -i setsid sleep 60 & echo up; while :; do sleep 0.01; done", { user: nobody }),
    );
    rig.watch("p");
    await rig.said("p", /up/);
    await rig.host.request("stop", { session: rig.session, run_id: run.run_id, steps: [{ signal: "SIGTERM", timeout_ms: 100 }] });
    expect((await rig.event(run, "extinct")).run.exit).toMatchObject({ signal: "SIGKILL" });
  });
});

test.runIf(isRoot)("a daemon that is not root runs programs as itself only, and reports that for other users", async () => {
  const { execFile } = await import("node:child_process");
  const accounts = new URL("../../../src/daemon/process/accounts.ts", import.meta.url).pathname;
  const script = `
    const { accountOf } = await import(${JSON.stringify(accounts)});
    process.setgid(65534); process.setuid(65534);
    const show = (user) => { try { return accountOf(user); } catch (error) { return error.message; } };
    process.stdout.write(JSON.stringify([show("nobody"), show("65534"), show("root")]));
  `;
  const text = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], (error, stdout, stderr) =>
      error ? reject(new Error(stderr)) : resolve(stdout),
    );
  });
  expect(JSON.parse(text)).toEqual([
    null,
    null,
    "only root can run a process as 'root', and this daemon runs as uid 65534; leave 'user' out or run the daemon as root",
  ]);
});
