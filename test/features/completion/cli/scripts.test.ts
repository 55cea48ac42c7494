import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pageOf } from "../../../../src/cli/manual.ts";
import { createProgram } from "../../../../src/cli/program.ts";
import { SHELLS, type Shell } from "../../../../src/features/completion/cli/shell-name.ts";
import { scriptOf } from "../../../../src/features/completion/cli/shells/script.ts";

// The scripts run in the real shells. In the place of mgr is a program that writes down what it is asked, and knows four names.
const run = promisify(execFile);
const NAMES = ["a:b\tstopped", "sim\tgroup", "sim/arm\tstopped", "sim/world\tstarted"];
const PROGRAM = `#!/bin/sh
echo "$*" >> "$ASKED"
while [ $# -gt 1 ]; do
  if [ "$1" = --prefix ]; then prefix=$2; fi
  shift
done
printf '${NAMES.join("\\n")}\\n' | while read -r line; do case $line in "$prefix"*) echo "$line";; esac; done
`;

let dir: string;
let environment: NodeJS.ProcessEnv;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "mgr-completion-"));
  environment = { PATH: `${dir}/bin:${process.env.PATH}`, HOME: dir, TERM: "dumb", LANG: "C.UTF-8", ASKED: join(dir, "asked") };
  mkdirSync(join(dir, "bin"));
  mkdirSync(join(dir, "files/folder"), { recursive: true });
  for (const name of ["mgr.yaml", "rt1.token"]) writeFileSync(join(dir, "files", name), "");
  writeFileSync(join(dir, "bin/mgr"), PROGRAM);
  chmodSync(join(dir, "bin/mgr"), 0o755);
  const program = createProgram();
  for (const shell of SHELLS) writeFileSync(join(dir, shell === "zsh" ? "_mgr" : `mgr.${shell}`), scriptOf(shell, program));
});
afterAll(() => rmSync(dir, { recursive: true }));

/** Candidates for each line, as the shell offers them: without descriptions, sorted. */
const COMPLETE: Readonly<Record<Shell, (lines: readonly string[]) => Promise<string[][]>>> = {
  bash: (lines) =>
    inShell(lines, "bash", [
      "--norc",
      "-c",
      `source ${dir}/mgr.bash
      complete -p mgr >/dev/null || exit
      for line in "$@"; do
        echo "LINE $line"
        COMP_LINE=$line COMP_POINT=\${#line} COMP_WORDS=(mgr)
        _mgr
        for word in "\${COMPREPLY[@]}"; do echo "HIT $word"; done
      done`,
      "bash",
    ]),
  fish: (lines) =>
    inShell(lines, "fish", [
      "--no-config",
      "-c",
      `source ${dir}/mgr.fish
      for line in $argv
        echo "LINE $line"
        complete -C $line | string replace -r '^' 'HIT '
      end
      true`,
    ]),
  zsh: (lines) => inShell(lines, "zsh", ["-f", fileURLToPath(new URL("capture.zsh", import.meta.url)), dir]),
};

async function inShell(lines: readonly string[], shell: string, args: string[]): Promise<string[][]> {
  const { stdout } = await run(shell, [...args, ...lines], { env: environment, cwd: join(dir, "files"), timeout: 110_000 });
  const parts = stdout.split(/^LINE .*$/m).slice(1);
  return parts.map((part) => [...part.matchAll(/HIT ([^\t\r\n]+)/g)].map(([, word = ""]) => word.trim()).toSorted());
}

const PROCESSES = ["a:b", "sim", "sim/arm", "sim/world"];
const STATES = ["backoff", "error", "ready", "started", "starting", "stopped", "stopping", "waiting"];
/** Lines, and what every shell offers at their ends. */
const CASES: readonly [line: string, candidates: readonly string[]][] = [
  ["mgr st", ["start", "stop"]],
  ["mgr topic e", ["echo"]],
  ["mgr help topic e", ["echo"]],
  ["mgr ps --us", ["--usage", "--user"]],
  ["mgr start --json sim --no-w", ["--no-wait"]],
  ["mgr wait --for ", STATES],
  ["mgr signal HU", ["HUP"]],
  ["mgr start ", PROCESSES],
  ["mgr start sim/w", ["sim/world"]],
  ["mgr start sim/arm sim/w", ["sim/world"]],
  ["mgr signal HUP sim/a", ["sim/arm"]],
  ["mgr attach sim/arm ", []],
  ["mgr start -- --for", []],
  ["mgr grep ", []],
  ["mgr topic echo -c other.yaml --trust-config s", ["sim", "sim/arm", "sim/world"]],
  ["mgr ps -c m", ["mgr.yaml"]],
  ["mgr nosuch ", []],
];

describe.each(SHELLS)("completion in %s", (shell) => {
  it("offers commands, options, choices, files, and the manager's names where they are arguments", async () => {
    writeFileSync(join(dir, "asked"), "");
    const offered = await COMPLETE[shell](CASES.map(([line]) => line));
    expect(Object.fromEntries(CASES.map(([line], index) => [line, offered[index]]))).toEqual(Object.fromEntries(CASES));
    const asked = readFileSync(join(dir, "asked"), "utf8").trimEnd().split("\n");
    expect(asked).toHaveLength(6);
    expect(asked[0]).toMatch(/^completion names process group --prefix\b/);
    expect(asked.at(-1)).toBe("completion names topic --prefix s -c other.yaml");
  });
});

it("bash offers what is behind a colon or an equals sign as its own word", async () => {
  expect(await COMPLETE.bash(["mgr start a:", "mgr wait --for=re", "mgr ps --config=m"])).toEqual([["b"], ["ready"], ["mgr.yaml"]]);
});

it("fish and zsh offer values behind an equals sign", async () => {
  expect(await COMPLETE.fish(["mgr wait --for=re"])).toEqual([["--for=ready"]]);
  expect(await COMPLETE.zsh(["mgr wait --for=re"])).toEqual([["ready"]]);
});

it("every value that completes names an argument or an option of its command", () => {
  const used = createProgram().commands.flatMap(commandsWithin);
  for (const command of used) {
    const known = [...command.registeredArguments.map((each) => each.name()), ...command.options.flatMap(({ long }) => long ?? [])];
    expect(known, command.name()).toEqual(expect.arrayContaining(Object.keys(pageOf(command)?.completes ?? {})));
  }
});

function commandsWithin(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsWithin)];
}
