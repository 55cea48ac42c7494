import { expect, test } from "vitest";
import { importTexts } from "../imported.ts";

test("a compose service without a command is listed as one that needs its container", async () => {
  const { report } = await importTexts({
    "compose.yaml": "services:\n  db: {image: postgres}\n  a: {image: x, command: sleep 1, depends_on: [db]}\n",
  });
  expect(report.processes).toEqual(["a"]);
  expect(report.dropped).toMatchObject([
    { key: "services.db", place: { line: 2 }, why: "it has no command: it runs what the image 'postgres' starts" },
    { key: "services.a.depends_on", why: "'db' is not among the imported processes" },
  ]);
});

test("a string of Docker Compose is split into words and not run by a shell", async () => {
  const { processes } = await importTexts({
    "compose.yaml": "services:\n  a: {command: 'echo \"a b\" && *'}\n  b: {entrypoint: run -x, command: [a b, c]}\n",
  });
  expect(processes.a?.command).toBe("echo 'a b' '&&' '*'");
  expect(processes.b?.command).toBe("run -x 'a b' c");
});

test("values with variables stay variables, and numbers are taken as they are now", async () => {
  const files = {
    "process-compose.yaml":
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is how the file writes variables.
      "processes:\n  a:\n    command: run ${MODE} $$HOME\n    availability: {restart: on_failure, backoff_seconds: $WAIT}\n",
    ".env": "MODE=fast\nWAIT=7\n",
  };
  const { processes } = await importTexts(files, { environment: { WAIT: "9" } });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is how mgr writes variables.
  expect(processes.a?.command).toBe("run ${MODE:-fast} $HOME");
  expect(processes.a?.restart).toMatchObject({ delay: "9s", factor: 1 });
});

test("a required variable is a guess above the processes, with its line", async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is how the file writes variables.
  const { text } = await importTexts({ "compose.yaml": "services:\n  a:\n    command: run ${MODE:?choose one}\n" });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is how the report writes variables.
  expect(text).toContain("\n# guess: ${MODE}: it is required (choose one), and empty here if it is not set (line 3)\nprocesses:");
});

test("a key with a wrong value is reported with its line and leaves the process usable", async () => {
  const { processes, report } = await importTexts({
    "compose.yaml": "services:\n  a:\n    command: sleep 1\n    stop_grace_period: soon\n    cpuset: x\n    stop_signal: NONSENSE\n",
  });
  expect(processes.a).toMatchObject({ command: "sleep 1" });
  expect(report.dropped.map(({ key, place }) => `${key}:${place.line}`)).toEqual([
    "services.a.stop_grace_period:4",
    "services.a.stop_signal:6",
    "services.a.cpuset:5",
  ]);
});

test("names that are not possible here are changed, and the change is a guess", async () => {
  const { report } = await importTexts({ Procfile: "a: sleep 1\na/b: sleep 1\n..: sleep 1\n" });
  expect(report.processes).toEqual(["a", "a-2/b", "process"]);
  expect(report.guessed.filter(({ to }) => to === "").map(({ key }) => key)).toEqual(["a/b", ".."]);
});

test("an alias that contains itself, and a file that is no YAML, are refused with their line", async () => {
  await expect(importTexts({ "compose.yaml": "services:\n  a: &a\n    command: *a\n" })).rejects.toThrow(
    /compose\.yaml:3: the alias \*a is inside/,
  );
  await expect(importTexts({ "compose.yaml": "services:\n  - [\n" })).rejects.toThrow(/compose\.yaml:\d: is not valid YAML/);
});

test("text of a file cannot control the terminal or add lines to the configuration", async () => {
  const name = '"a\\x1b[2J\\nb: {command: evil}"';
  const { text, report } = await importTexts({ "compose.yaml": `services: {${name}: {command: sleep 1, x${"\u202e"}: 1}}\n` });
  expect(report.processes).toEqual(["a-[2J-b: {command: evil}"]);
  expect(text).not.toContain("\x1b");
  expect(
    text
      .split("\n")
      .filter((line) => line.startsWith("#") || line.trim().startsWith("#"))
      .join(),
  ).not.toContain("\u202e");
});
