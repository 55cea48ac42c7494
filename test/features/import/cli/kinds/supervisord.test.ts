import { expect, test } from "vitest";
import { environmentPairs } from "../../../../../src/features/import/cli/kinds/supervisord/environment.ts";
import { pythonFormat } from "../../../../../src/features/import/cli/kinds/supervisord/format.ts";
import { UnfitValue } from "../../../../../src/features/import/cli/model/failure.ts";
import { importTexts } from "../imported.ts";

test("values are expanded as Python formats them", () => {
  const values: Record<string, string | number> = { program_name: "web", process_num: 7 };
  const format = (text: string) => pythonFormat(text, (name) => values[name]);
  expect(format("%(program_name)s_%(process_num)02d %(process_num)3d|%(process_num)-3d|100%%")).toBe("web_07   7|7  |100%");
  for (const wrong of ["50%", "%(other)s", "%(program_name)d", "%(process_num)x"]) expect(() => format(wrong)).toThrow(UnfitValue);
});

test.each([
  ['A="x y",B=2', { A: "x y", B: "2" }],
  ["A='1',\n  B=\"\",", { A: "1", B: "" }],
  ['PATH="/a:%b",Q="say \\"hi\\""', { PATH: "/a:%b", Q: 'say "hi"' }],
  ["URL=http://a.b/c-d", { URL: "http://a.b/c-d" }],
])("environment=%j gives these variables", (text, expected) => {
  expect(Object.fromEntries(environmentPairs(text))).toEqual(expected);
});

test.each(["A", "A=", "=1", "A=1 B=2 C", 'A="open'])("environment=%j is refused", (text) => {
  expect(() => environmentPairs(text)).toThrow(UnfitValue);
});

test("included files count, with their own folder as %(here)s", async () => {
  const { processes, report } = await importTexts({
    "supervisord.conf": "[include]\nfiles = more/*.ini\n[program:a]\ncommand=sleep 1\n",
    "more/b.ini": "[program:b]\ncommand=%(here)s/run %(program_name)s\n",
  });
  expect(report.processes).toEqual(["a", "b"]);
  expect(processes.b?.command).toMatch(/\/more\/run b$/);
});

test("a program that is restarted gives up as supervisord does, by runs that were too short", async () => {
  const { processes } = await importTexts({
    "supervisord.conf": "[program:a]\ncommand=sleep 1\nstartsecs=4\nstartretries=5\n[program:b]\ncommand=sleep 1\nautorestart=false\n",
  });
  expect(processes.a?.restart).toEqual({ policy: "on-failure", max_restarts: 5, reset_after: "4s", window: "20s" });
  expect(processes.b?.restart).toEqual({ policy: "never" });
});

test("too many copies are not made, and the reason is reported with its line", async () => {
  const { report, lost } = await importTexts({ "supervisord.conf": "[program:a]\ncommand=sleep 1\nnumprocs=1000000000\n" });
  expect(report.processes).toEqual(["a"]);
  expect(lost).toContain("3 program:a.numprocs");
});
