import { describe, expect, it } from "vitest";
import { FILE_KEYS } from "../../src/config/features.ts";
import { parseConfigText } from "../../src/config/load/load.ts";
import type { ConfigProblem } from "../../src/config/schema/problems.ts";
import { ConfigError } from "../../src/config/schema/problems.ts";

function problemsOf(text: string): readonly ConfigProblem[] {
  try {
    parseConfigText(text, "mgr.yaml");
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

/** What is wrong, the file, and each problem as [path, line, column, piece of the message]. */
type Row = [what: string, text: string, ...problems: [path: string, line: number, column: number, message: string][]];

const KEYS = [
  ...["instance", "defaults", "nodes", "hosts", "access"],
  ...Object.keys(FILE_KEYS),
  ...["defines", "include", "templates", "groups", "processes"],
].join(", ");
const INSTANCE = "instance: {name: t, manager: ':0'}\n";
/** The settings stand in line 4 from column 5 on. */
const inProcess = (settings: string) => `${INSTANCE}processes:\n  p:\n    ${settings}\n`;
/** A process with a command; the further settings stand in line 5 from column 5 on. */
const withCommand = (settings: string) => inProcess(`command: x\n    ${settings}`);

const YAML_ROWS: Row[] = [
  ["an empty file", "", ["", 1, 1, "is empty"]],
  ["only a comment", "# nothing yet\n", ["", 1, 1, "is empty"]],
  ["a list", "- a\n", ["", 1, 1, `must be a mapping with the keys ${KEYS}, found a list`]],
  ["a bare word", "hello\n", ["", 1, 1, "found 'hello'"]],
  ["an unclosed bracket", "instance: {name: t\n", ["", 2, 1, "is not valid YAML"]],
  [
    "what follows a syntax error that spans lines",
    "instance:\n } name: demo\n  manager: a\nprocesses: {\n",
    ["", 2, 2, "is not valid YAML"],
    ["", 2, 4, "is not valid YAML"],
    ["", 2, 8, "is not valid YAML"],
    ["", 2, 10, "is not valid YAML"],
    ["", 3, 10, "is not valid YAML"],
    ["", 3, 12, "is not valid YAML"],
    ["", 4, 1, "is not valid YAML"],
    ["", 4, 10, "is not valid YAML"],
    ["", 4, 12, "is not valid YAML"],
    ["", 5, 1, "is not valid YAML"],
  ],
  ["a tab as indentation", "instance:\n\tname: t\n", ["", 2, 1, "the indentation contains a tab"]],
  ["two documents", `${INSTANCE}---\n${INSTANCE}`, ["", 2, 1, "a second YAML document begins here"]],
  [
    "a key that is there twice",
    `${INSTANCE}processes: {a: {command: x}, b: {command: x}, a: {command: y}}\n`,
    ["processes.a", 2, 47, "is a duplicate key"],
  ],
  ["a key twice in a section", inProcess("{command: x, cwd: a, cwd: b}"), ["processes.p.cwd", 4, 26, "is a duplicate key"]],
  [
    "a number as a key",
    `${INSTANCE}processes:\n  5: {command: x}\n`,
    ["processes", 3, 3, "a key must be a string, found the number 5; put it in quotes"],
  ],
  ["a list as a key", `${INSTANCE}processes:\n  ? [a]\n  : {command: x}\n`, ["processes", 3, 5, "a key must be a string, found a list"]],
  ["no key", `${INSTANCE}processes:\n  : {command: x}\n`, ["processes", 3, 3, "a key must be a string, found an empty value"]],
  ["an alias without an anchor", withCommand("cwd: *nowhere"), ["processes.p.cwd", 5, 10, "the alias *nowhere has no anchor before it"]],
  ["an alias in its own anchor", `${INSTANCE}defaults: &d\n  terminal: *d\n`, ["defaults.terminal", 3, 13, "is inside its own anchor"]],
  ["a merge key", withCommand("<<: {cwd: a}"), ["processes.p", 5, 5, "merge keys (<<) are not supported"]],
  ["a foreign tag", withCommand("cwd: !secret a"), ["processes.p.cwd", 5, 18, "the tag !secret is not supported"]],
  ["a binary value", withCommand("cwd: !!binary aGVsbG8="), ["processes.p.cwd", 5, 19, "tag:yaml.org,2002:binary is not supported"]],
  [
    "CRLF line ends",
    "instance:\r\n  nam: t\r\n  manager: ':0'\r\n",
    ["instance.name", 1, 1, "is missing"],
    ["instance.nam", 2, 3, "did you mean 'name'?"],
  ],
  ["a byte order mark", "\uFEFFinstance: {name: t}\n", ["instance.manager", 1, 1, "is missing; it must be HOST:PORT"]],
  ["a hundred thousand brackets", `a: ${"[".repeat(100_000)}`, ["", 1, 103, "is nested too deeply"]],
  // This one ended the program: V8 ran out of stack while it compiled a regular expression.
  ["a million braces", `a: ${"{".repeat(1_000_000)}`, ["", 1, 103, "is nested too deeply"]],
  ["a million dashes", "- ".repeat(1_000_000), ["", 1, 200, "is nested too deeply"]],
  ["a mapping in a value", `${INSTANCE}a: b: c\n`, ["", 2, 4, "Nested mappings are not allowed in compact mappings"]],
];

const INSTANCE_ROWS: Row[] = [
  ["no instance", "processes: {}\n", ["instance", 1, 1, "is missing; it must be a mapping with the keys name, manager"]],
  ["an empty instance", "instance:\n", ["instance.name", 1, 1, "is missing"], ["instance.manager", 1, 1, "is missing"]],
  [
    "a name with a slash",
    "instance: {name: a/b, manager: ':0'}\n",
    ["instance.name", 1, 18, "must be 1 to 64 characters A-Z a-z 0-9 . _ -, found 'a/b'"],
  ],
  ["a name that leaves the folder", "instance: {name: .., manager: ':0'}\n", ["instance.name", 1, 18, "cannot be '.' or '..'"]],
  ["a number as name", "instance: {name: 12, manager: ':0'}\n", ["instance.name", 1, 18, "found the number 12"]],
  ["a name of 65 characters", `instance: {name: ${"n".repeat(65)}, manager: ':0'}\n`, ["instance.name", 1, 18, "must be 1 to 64"]],
  [
    "a port alone",
    "instance: {name: t, manager: 8130}\n",
    ["instance.manager", 1, 30, "write '\":8130\"' for every interface or 'localhost:8130'"],
  ],
  ["no port", "instance: {name: t, manager: localhost}\n", ["instance.manager", 1, 30, "must be HOST:PORT, or :PORT"]],
  [
    "a port too high",
    "instance: {name: t, manager: 'a:65536'}\n",
    ["instance.manager", 1, 30, "the port must be from 0 to 65535, found 65536"],
  ],
  [
    "IPv6 without brackets",
    "instance: {name: t, manager: '::1:8130'}\n",
    ["instance.manager", 1, 30, "an IPv6 address must be in brackets"],
  ],
  ["no IPv6 in the brackets", "instance: {name: t, manager: '[1:2]:8130'}\n", ["instance.manager", 1, 30, "'1:2' is not an IPv6 address"]],
  ["a URL as address", "instance: {name: t, manager: 'http://a:1'}\n", ["instance.manager", 1, 30, "must be HOST:PORT"]],
  [
    "a home folder",
    "instance: {name: t, manager: ':0', state_dir: ~/s}\n",
    ["instance.state_dir", 1, 47, "begins with '~', which is not expanded"],
  ],
  [
    "no entries retained",
    "instance: {name: t, manager: ':0', retained_log_entries: 0}\n",
    ["instance.retained_log_entries", 1, 58, "from 1 to 1000000, found the number 0"],
  ],
  [
    "an auth file that is a list",
    "instance: {name: t, manager: ':0', webui_auth_file: [a]}\n",
    ["instance.webui_auth_file", 1, 53, "must be the path of a file, found a list"],
  ],
  ["an unknown section", `${INSTANCE}proceses: {}\n`, ["proceses", 2, 1, "unknown key; did you mean 'processes'?"]],
  [
    "a key file and https_only without a certificate",
    "instance: {name: t, manager: ':0', webui_https_key_file: k, https_only: true}\n",
    ["instance.webui_https_key_file", 1, 58, "needs webui_https_cert_file"],
    ["instance.https_only", 1, 73, "needs webui_https_cert_file"],
  ],
  [
    "an allowed host with a port",
    "instance: {name: t, manager: ':0', allowed_hosts: ['bench.lab:8130']}\n",
    [
      "instance.allowed_hosts[0]",
      1,
      52,
      "must be a host name without scheme and port, or a wildcard such as *.bench.lab, found 'bench.lab:8130'",
    ],
  ],
  [
    "allowed origins that are not exact",
    "instance: {name: t, manager: ':0', allowed_origins: ['https://dash.lab/', '*']}\n",
    [
      "instance.allowed_origins[0]",
      1,
      54,
      "must be an origin of scheme, host and port, such as https://dash.lab:3000, found 'https://dash.lab/'",
    ],
    ["instance.allowed_origins[1]", 1, 75, "must be an origin of scheme, host and port, such as https://dash.lab:3000, found '*'"],
  ],
  ["a key of a later version", `${INSTANCE}zebra: 1\n`, ["zebra", 2, 1, `unknown key; allowed are ${KEYS}`]],
];

const PROCESS_ROWS: Row[] = [
  ["no command", inProcess("cwd: a"), ["processes.p.command", 3, 3, "is missing; it must be a command"]],
  ["nothing at all", `${INSTANCE}processes:\n  p:\n`, ["processes.p.command", 3, 3, "is missing"]],
  [
    "a process that is a string",
    `${INSTANCE}processes:\n  p: sleep 1\n`,
    ["processes.p", 3, 6, "must be a mapping with at least the key command, found 'sleep 1'"],
  ],
  [
    "processes that are a list",
    `${INSTANCE}processes: [a]\n`,
    ["processes", 2, 12, "must be a mapping from process names to their settings, found a list"],
  ],
  ["a misspelt key", withCommand("restart: {polciy: never}"), ["processes.p.restart.polciy", 5, 15, "unknown key; did you mean 'policy'?"]],
  ["a key of an object's prototype", withCommand("__proto__: {}"), ["processes.p.__proto__", 5, 5, "unknown key; allowed are"]],
  ["a prototype's key in a section", withCommand("stop: {constructor: 1}"), ["processes.p.stop.constructor", 5, 12, "unknown key"]],
  [
    "a number as command",
    inProcess("command: 5"),
    ["processes.p.command", 4, 14, "must be a command: a string, or a list of words, found the number 5"],
  ],
  ["an empty command", inProcess('command: "  "'), ["processes.p.command", 4, 14, "is empty"]],
  ["an empty list", inProcess("command: []"), ["processes.p.command", 4, 14, "is an empty list"]],
  ["a number among the words", inProcess("command: [sleep, 1]"), ["processes.p.command[1]", 4, 22, "must be a string, found the number 1"]],
  ["an empty program", inProcess('command: ["", a]'), ["processes.p.command", 4, 14, "has an empty program name"]],
  [
    "a list for the shell",
    inProcess("{command: [a], shell: true}"),
    ["processes.p.command", 4, 15, "with 'shell: true' it must be a string"],
  ],
  ["an unclosed quote", inProcess('command: echo "a b'), ["processes.p.command", 4, 14, "has an unclosed double quote at character 6"]],
  [
    "an unclosed single quote",
    inProcess("command: echo don't"),
    ["processes.p.command", 4, 14, "has an unclosed single quote at character 9"],
  ],
  ["a backslash at the end", inProcess("command: echo \\"), ["processes.p.command", 4, 14, "ends with a backslash"]],
  ["a NUL in a command", inProcess('command: "a\\0b"'), ["processes.p.command", 4, 14, "contains a NUL character"]],
  [
    "the label default",
    withCommand("alternate_commands: {default: y}"),
    ["processes.p.alternate_commands.default", 5, 26, "is reserved: it selects 'command'"],
  ],
  [
    "a bad alternate command",
    withCommand('alternate_commands: {dbg: "a \'b"}'),
    ["processes.p.alternate_commands.dbg", 5, 31, "has an unclosed single quote"],
  ],
  [
    "null as environment value",
    withCommand("environment: {A: }"),
    ["processes.p.environment.A", 5, 19, "must be a string, number or boolean"],
  ],
  ["a list as environment value", withCommand("environment: {A: [1]}"), ["processes.p.environment.A", 5, 22, "found a list"]],
  [
    "environment as list",
    withCommand("environment: [A=1]"),
    ["processes.p.environment", 5, 18, "must be a mapping from names to values, found a list"],
  ],
  ["a '=' in a variable's name", withCommand("environment: {A=B: 1}"), ["processes.p.environment.A=B", 5, 19, "the name contains '='"]],
  [
    "a value in pass_environment",
    withCommand("pass_environment: [A=1]"),
    ["processes.p.pass_environment[0]", 5, 24, "'environment' sets values"],
  ],
  [
    "a '*' inside a name",
    withCommand('pass_environment: ["L*C"]'),
    ["processes.p.pass_environment[0]", 5, 24, "has a '*' that is not at the end"],
  ],
  ["no lines", withCommand("terminal: {rows: 0}"), ["processes.p.terminal.rows", 5, 22, "from 1 to 65535, found the number 0"]],
  ["half a column", withCommand("terminal: {cols: 80.5}"), ["processes.p.terminal.cols", 5, 22, "found the number 80.5"]],
  [
    "a backlog too small",
    withCommand("terminal: {backlog: 1KiB}"),
    ["processes.p.terminal.backlog", 5, 25, "from 4KiB to 512MiB, found '1KiB'"],
  ],
  ["a decimal unit", withCommand("terminal: {backlog: 4MB}"), ["processes.p.terminal.backlog", 5, 25, "found '4MB'"]],
  [
    "a bad regex",
    withCommand("ready: {regex: 'a('}"),
    ["processes.p.ready.regex", 5, 20, "is not a valid regular expression: Invalid regular expression: /a(/u: Unterminated group"],
  ],
  [
    "an empty regex",
    withCommand("ready: {regex: ''}"),
    ["processes.p.ready.regex", 5, 20, "must be a regular expression, found an empty string"],
  ],
  [
    "two ready conditions",
    withCommand("ready: {regex: a, time: 1s}"),
    ["processes.p.ready", 5, 5, "has 'regex' and 'time'; use one of them"],
  ],
  ["no ready condition", withCommand("ready: {}"), ["processes.p.ready", 5, 5, "must have one of the keys regex, time"]],
  [
    "a ready condition that is a string",
    withCommand("ready: listening"),
    ["processes.p.ready", 5, 12, "must be a mapping with one of the keys regex, time, tcp, http, exec"],
  ],
  [
    "a duration with a blank",
    withCommand("ready_timeout: 5 s"),
    ["processes.p.ready_timeout", 5, 20, "must be a duration such as 500ms, 5s, 2m, 1h"],
  ],
  ["a duration of 25 days", withCommand("stop: {timeout: 600h}"), ["processes.p.stop.timeout", 5, 21, "at most 24 days, found '600h'"]],
  ["a negative duration", withCommand("stop: {timeout: -1}"), ["processes.p.stop.timeout", 5, 21, "found the number -1"]],
  ["an endless duration", withCommand("restart: {delay: .inf}"), ["processes.p.restart.delay", 5, 22, "found the number Infinity"]],
  [
    "no time to become ready",
    withCommand("ready_timeout: 0"),
    ["processes.p.ready_timeout", 5, 20, "more than 0, or none, found the number 0"],
  ],
  [
    "a signal without SIG",
    withCommand("stop: {signal: TERM}"),
    ["processes.p.stop.signal", 5, 20, "found 'TERM'; did you mean 'SIGTERM'?"],
  ],
  [
    "a signal's number",
    withCommand("stop: {signal: 15}"),
    ["processes.p.stop.signal", 5, 20, "must be a signal such as SIGTERM or SIGRTMIN+3, found the number 15"],
  ],
  [
    "a policy of another program",
    withCommand("restart: {policy: unless-stopped}"),
    ["processes.p.restart.policy", 5, 23, "must be one of never, on-failure, always, found 'unless-stopped'"],
  ],
  [
    "an underscore for a hyphen",
    withCommand("restart: {policy: on_failure}"),
    ["processes.p.restart.policy", 5, 23, "did you mean 'on-failure'?"],
  ],
  [
    "a restart that is a string",
    withCommand("restart: always"),
    ["processes.p.restart", 5, 14, "must be a mapping with the keys policy, delay"],
  ],
  [
    "a shrinking delay",
    withCommand("restart: {factor: 0.5}"),
    ["processes.p.restart.factor", 5, 23, "must be a number from 1 to 100, found the number 0.5"],
  ],
  [
    "a maximum below the first delay",
    withCommand("restart: {delay: 10s, max_delay: 5s}"),
    ["processes.p.restart.max_delay", 5, 38, "is shorter than 'delay'"],
  ],
  ["no window", withCommand("restart: {window: 0s}"), ["processes.p.restart.window", 5, 23, "more than 0"]],
  [
    "an exit code of 256",
    withCommand("success_exit_codes: [0, 256]"),
    ["processes.p.success_exit_codes[1]", 5, 29, "from 0 to 255, found the number 256"],
  ],
  [
    "an exit code that is no list",
    withCommand("success_exit_codes: 0"),
    ["processes.p.success_exit_codes", 5, 25, "must be a list of exit codes, found the number 0"],
  ],
  ["yes for true", withCommand("autostart: yes"), ["processes.p.autostart", 5, 16, "must be true or false, found 'yes'"]],
  ["a home folder as cwd", withCommand("cwd: ~/src"), ["processes.p.cwd", 5, 10, "begins with '~'"]],
  ["an empty cwd", withCommand("cwd: ''"), ["processes.p.cwd", 5, 10, "must be the path of a folder, found an empty string"]],
  [
    "ready in defaults",
    `${INSTANCE}defaults: {ready: {time: 1s}}\n`,
    ["defaults.ready", 2, 12, "unknown key; allowed are cwd, environment"],
  ],
  ["a wrong default", `${INSTANCE}defaults:\n  stop: {timeout: soon}\n`, ["defaults.stop.timeout", 3, 19, "found 'soon'"]],
  [
    "a group that is a flag",
    `${INSTANCE}groups: {g: true}\n`,
    ["groups.g", 2, 13, "must be a mapping with the keys opened, found the boolean true"],
  ],
];

const NAME_ROWS: Row[] = [
  ["an empty segment", `${INSTANCE}processes:\n  a//b: {command: x}\n`, ["processes.a//b", 3, 3, "the name has an empty segment"]],
  ["a segment '..'", `${INSTANCE}processes:\n  a/..: {command: x}\n`, ['processes["a/.."]', 3, 3, "the name has a segment '.' or '..'"]],
  ["an empty name", `${INSTANCE}processes:\n  "": {command: x}\n`, ['processes[""]', 3, 3, "the name is empty"]],
  ["a control character", `${INSTANCE}processes:\n  "a\\x1b": {command: x}\n`, ['processes["a\\u001b"]', 3, 3, "non-printable"]],
  [
    "a process named like a group",
    `${INSTANCE}groups: {g: {}}\nprocesses: {g: {command: x}}\n`,
    ["processes.g", 3, 13, "'g' is also a group"],
  ],
  [
    "a process named like an implied group",
    `${INSTANCE}processes:\n  a/b: {command: x}\n  a/b/c: {command: x}\n`,
    ["processes.a/b", 3, 3, "is also a group (because of 'a/b/c')"],
  ],
  [
    "an unknown dependency",
    withCommand("depends_on: [q]"),
    ["processes.p.depends_on[0]", 5, 18, "there is no process 'q'; did you mean 'p'?"],
  ],
  [
    "a dependency on a group",
    `${INSTANCE}processes:\n  g/a: {command: x}\n  b: {command: x, depends_on: [g]}\n`,
    ["processes.b.depends_on[0]", 4, 32, "'g' is a group; a process can depend only on processes"],
  ],
  ["a dependency on itself", withCommand("depends_on: {p: {}}"), ["processes.p.depends_on.p", 5, 18, "a process cannot depend on itself"]],
  [
    "a dependency twice",
    `${INSTANCE}processes:\n  a: {command: x}\n  b: {command: x, depends_on: [a, a]}\n`,
    ["processes.b.depends_on[1]", 4, 35, "'a' is listed twice"],
  ],
  [
    "dependencies as a string",
    withCommand("depends_on: p"),
    ["processes.p.depends_on", 5, 17, "must be a list of process names, or a mapping from them to {condition, on_stop}, found 'p'"],
  ],
  [
    "a number as dependency",
    withCommand("depends_on: [1]"),
    ["processes.p.depends_on[0]", 5, 18, "must be the name of a process, found the number 1"],
  ],
  [
    "an unknown condition",
    `${INSTANCE}processes:\n  a: {command: x}\n  b: {command: x, depends_on: {a: {condition: healthy}}}\n`,
    ["processes.b.depends_on.a.condition", 4, 47, "must be one of started, ready, completed"],
  ],
  [
    "a cycle of two",
    `${INSTANCE}processes:\n  a: {command: x, depends_on: [b]}\n  b: {command: x, depends_on: [a]}\n`,
    ["processes.b.depends_on[0]", 4, 32, "the dependencies form a cycle: a → b → a"],
  ],
  [
    "a cycle that does not hold the first process",
    `${INSTANCE}processes:\n  a: {command: x, depends_on: [b]}\n  b: {command: x, depends_on: [c]}\n  c: {command: x, depends_on: {d: }}\n  d: {command: x, depends_on: [b]}\n`,
    ["processes.d.depends_on[0]", 6, 32, "b → c → d → b"],
  ],
];

describe.each([
  ["YAML", YAML_ROWS],
  ["instance", INSTANCE_ROWS],
  ["processes", PROCESS_ROWS],
  ["names and dependencies", NAME_ROWS],
])("a bad configuration (%s) is refused with path, line, column and a sentence:", (_part, rows) => {
  it.each(rows)("%s", (_what, text, ...expected) => {
    const found = problemsOf(text);
    expect(found.map(({ path, line, column }) => [path, line, column])).toEqual(
      expected.map(([path, line, column]) => [path, line, column]),
    );
    for (const [index, [, , , message]] of expected.entries()) expect(found[index]?.message).toContain(message);
  });
});

it("all problems of a file are reported at once, in its order, also when names, values and keys are wrong together", () => {
  const text = `${INSTANCE}processes:
  a: {command: x, depends_on: [nobody], restrat: {}}
  b: {command: "x '", terminal: {rows: many}}
  a/c: {command: 1}
`;
  expect(problemsOf(text).map(({ path, line, column }) => `${path} ${line}:${column}`)).toEqual([
    "processes.a 3:3",
    "processes.a.depends_on[0] 3:32",
    "processes.a.restrat 3:41",
    "processes.b.command 4:16",
    "processes.b.terminal.rows 4:40",
    "processes.a/c.command 5:18",
  ]);
});

it("a few lines of aliases that expand to billions of values are refused", () => {
  const levels = Array.from({ length: 12 }, (_, level) => `x-${level}: &a${level} [${`*a${level - 1}, `.repeat(level === 0 ? 0 : 10)}1]`);
  const [problem] = problemsOf(`${INSTANCE}${levels.join("\n")}\n`);
  expect(problem?.message).toContain("aliases expand to more than 500000 values");
});

it("duplicate keys are found among a hundred thousand", () => {
  const keys = Array.from({ length: 100_000 }, (_, index) => `x-${index}: 1`).join("\n");
  expect(problemsOf(`${INSTANCE}${keys}\nx-7: 2\n`).map(({ path, line }) => [path, line])).toEqual([["x-7", 100_002]]);
});
