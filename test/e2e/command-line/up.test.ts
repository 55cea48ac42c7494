import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Instance, PROGRAM } from "../support/instance.ts";
import { IGNORES_TERM, sh } from "../support/shell.ts";
import { TerminalSession } from "../support/terminal.ts";
import { eventually } from "../support/wait.ts";

test("mgr up in a terminal prints output with names, why no user can log in, and what a stop waits for", async () => {
  await using instance = new Instance({
    processes: {
      "g/greeter": { command: sh("printf '\\033]0;title\\007\\033[31mhello\\033[0m\\n'; exec sleep 1000"), autostart: true },
      stubborn: { command: IGNORES_TERM, stop: { timeout: "10m" }, autostart: true },
    },
  });
  rmSync(instance.authFile);
  using terminal = new TerminalSession(["up", "-c", instance.config], { rows: 40, cols: 160, environment: instance.environment });
  await terminal.untilShown(/all web logins are refused: The auth file .*webui\.keys is missing/);
  await terminal.untilShown(/^g\/greeter \| hello$/m);
  await terminal.untilShown(/^stubborn {2}\| trapped$/m);
  const line = terminal.lines.findIndex((text) => text.startsWith("g/greeter |"));
  const cell = (column: number) => terminal.screen.buffer.active.getLine(line)?.getCell(column);
  expect(cell(0)?.isFgDefault()).toBe(false);
  expect(cell("g/greeter | ".length)?.getFgColor()).toBe(1);
  terminal.type("\x03");
  await terminal.untilShown(/SIGINT: stopping everything; press Ctrl-C again/);
  await terminal.untilShown(/^waiting for 'stubborn' to end$/m);
  terminal.type("\x03");
  await eventually("everything is killed", () => terminal.hasEnded);
});

test("closing the terminal of mgr up stops everything in order, however often it sends SIGHUP", async () => {
  const command = sh('trap "" TERM; echo trapped; until [ -e go ]; do sleep 0.1; done; echo in order > ended');
  await using instance = new Instance({ processes: { slow: { command, stop: { timeout: "10m" }, autostart: true } } });
  const shell = ["--norc", "-i", "-c", `"${process.execPath}" "${PROGRAM}" up -c "${instance.config}"; true`];
  using terminal = new TerminalSession(shell, { rows: 40, cols: 160, environment: instance.environment }, "/bin/bash");
  await terminal.untilShown(/ is up at /);
  await terminal.untilShown(/^slow \| trapped$/m);
  const client = await instance.connect();
  // The kernel and the shell both send SIGHUP, and the manager can no longer print.
  terminal.hangUp();
  await client.untilState("slow", "stopping");
  instance.kill("manager", "SIGHUP");
  await client.snapshot();
  writeFileSync(join(instance.dir, "go"), "");
  await instance.untilExtinct();
  expect(instance.read("ended")).toBe("in order\n");
});

test("mgr up --no-output prints only the log; elsewhere than on a terminal colours are left out", async () => {
  await using quiet = await Instance.up({ processes: { talker: { command: sh("echo spoken; exec sleep 1000"), autostart: true } } });
  await quiet.mgr("wait", "talker", "--for", "started");
  const up = quiet.foreground;
  up.child.kill("SIGTERM");
  expect((await up.ended).stdout).not.toContain("spoken");

  const loud = quiet.start("up", "-c", quiet.config);
  await eventually("its output is printed", () => loud.stdout.includes("talker | spoken\n"));
  loud.child.kill("SIGTERM");
  expect(await loud.ended).toMatchObject({ code: 0, stderr: "SIGTERM: stopping everything; press Ctrl-C again to kill what is left\n" });
});
