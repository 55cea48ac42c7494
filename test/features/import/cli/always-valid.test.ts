import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import type { KindName } from "../../../../src/features/import/cli/kind-names.ts";
import { SERVICE_RULES as COMPOSE_RULES } from "../../../../src/features/import/cli/kinds/compose/keys.ts";
import { APP_RULES } from "../../../../src/features/import/cli/kinds/pm2/keys.ts";
import { PROCESS_RULES } from "../../../../src/features/import/cli/kinds/process-compose/keys.ts";
import { PROGRAM_RULES } from "../../../../src/features/import/cli/kinds/supervisord/keys.ts";
import { INSTALL_RULES, SERVICE_RULES, UNIT_RULES } from "../../../../src/features/import/cli/kinds/systemd/keys.ts";
import { ImportFailure } from "../../../../src/features/import/cli/model/failure.ts";
import { importTexts } from "./imported.ts";

// Whatever a file says, the new configuration passes the check: `convert` throws any other error.

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are texts of configurations.
const WORDS = [
  "",
  "a",
  "b",
  "true",
  "no",
  "always",
  "-1",
  "0",
  "3",
  "1e9",
  "99999999999",
  "5s",
  "1h30m",
  "512m",
  "SIGTERM",
  "9",
  "/",
  "../x",
  "~",
  "~/x",
  "a b",
  "'",
  '"',
  "\\",
  "$X",
  "${X:-}}",
  "${X:-1}",
  "$${",
  "%",
  "%(here)s",
  "%(process_num)02d",
  "%i",
  "é",
  "\u202e",
  "\x1b[2J",
  "x".repeat(300),
  "a/b",
  ".",
  "infinity",
  "50%",
  "1000:1000",
  "echo hi; exit",
  "[",
  "{",
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: see above.
const NESTED = [
  "command",
  "test",
  "exec",
  "http_get",
  "path",
  "port",
  "interval",
  "condition",
  "restart",
  "signal",
  "timeout_seconds",
  "backoff_seconds",
  "max_restarts",
  "limits",
  "memory",
  "cpus",
  "replicas",
  "a",
  "b",
  "nofile",
  "rotation",
  "max_size_mb",
  "period_seconds",
  "failure_threshold",
  "headers",
];

const word = fc.constantFrom(...WORDS);
const scalar = fc.oneof(
  { weight: 4, arbitrary: word },
  fc.integer({ min: -2, max: 2_000 }),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true }),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NESTED), tie("value"), { maxKeys: 3 }),
  ),
})).value;
const name = fc.constantFrom("a", "b", "c", "a/b", "__proto__", "x.y", "-", "..", "n".repeat(80), "é", "sp ace");

const mapped = (keys: readonly string[]) =>
  fc.dictionary(name, fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 8 }), { minKeys: 1, maxKeys: 4 });
/** `first` is there in most sections, so that something is left to check. */
const withCommand = (sections: Record<string, Record<string, unknown>>, first: string) =>
  Object.fromEntries(
    Object.entries(sections).map(([key, section], index) => [key, index === 0 ? { ...section, [first]: "sleep 5" } : section]),
  );

const lines = (keys: readonly string[]) =>
  fc.array(
    fc
      .tuple(
        fc.constantFrom(...keys),
        word.map((text) => text.replace(/\n/g, " ")),
      )
      .map(([key, text]) => `${key}=${text}`),
    { maxLength: 12 },
  );

const FILES: Readonly<Record<KindName, readonly [file: string, text: fc.Arbitrary<string>]>> = {
  "process-compose": [
    "process-compose.yaml",
    mapped(Object.keys(PROCESS_RULES)).map((processes) => stringify({ processes: withCommand(processes, "command") })),
  ],
  compose: [
    "compose.yaml",
    mapped(Object.keys(COMPOSE_RULES)).map((services) => stringify({ services: withCommand(services, "command") })),
  ],
  pm2: [
    "ecosystem.config.json",
    mapped(Object.keys(APP_RULES)).map((apps) => JSON.stringify({ apps: Object.values(withCommand(apps, "script")) })),
  ],
  supervisord: [
    "supervisord.conf",
    fc
      .tuple(lines(Object.keys(PROGRAM_RULES)), lines(Object.keys(PROGRAM_RULES)), lines(["programs", "priority"]))
      .map(
        ([a, b, group]) => `[program:a]\ncommand=sleep 5\n${a.join("\n")}\n[program:b]\n${b.join("\n")}\n[group:a]\n${group.join("\n")}\n`,
      ),
  ],
  procfile: [
    "Procfile",
    fc
      .array(
        fc.tuple(name, word).map(([key, text]) => `${key}: ${text}`),
        { maxLength: 5 },
      )
      .map((all) => ["a: sleep 5", ...all].join("\n")),
  ],
  systemd: [
    "a.service",
    fc
      .tuple(lines(Object.keys(UNIT_RULES)), lines(Object.keys(SERVICE_RULES)), lines(Object.keys(INSTALL_RULES)))
      .map(
        ([unit, service, install]) =>
          `[Unit]\n${unit.join("\n")}\n[Service]\nExecStart=/bin/sleep 5\n${service.join("\n")}\n[Install]\n${install.join("\n")}\n`,
      ),
  ],
};

describe.each(Object.entries(FILES))("any file of %s", (from, [file, text]) => {
  test("becomes a valid configuration, or is refused with a sentence", async () => {
    let valid = 0;
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        try {
          const { report } = await importTexts({ [file]: content }, { from: from as KindName });
          expect(report.processes).not.toEqual([]);
          valid++;
        } catch (error) {
          if (!(error instanceof ImportFailure)) throw error;
          expect(error.message).toMatch(/\S \S/);
        }
      }),
      { numRuns: 40 },
    );
    expect(valid).toBeGreaterThan(5);
  });
});
