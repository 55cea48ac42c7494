import { expect, test } from "vitest";
import { unitName, withSpecifiers } from "../../../../../src/features/import/cli/kinds/systemd/specifiers.ts";
import { parseUnit } from "../../../../../src/features/import/cli/kinds/systemd/unit-file.ts";
import { commandLine, unitCommands, unitWords } from "../../../../../src/features/import/cli/kinds/systemd/words.ts";
import { importTexts } from "../imported.ts";

test("lines are continued with a blank, over comments", () => {
  const { lines, problems } = parseUnit("[Service]\nExecStart=a \\\n# note\n  b\nwrong\n[X]\nK = v = w\n", "u.service");
  expect(lines.map(({ section, key, value, place }) => [section, key, value.replace(/ +/g, " "), place.line])).toEqual([
    ["Service", "ExecStart", "a b", 2],
    ["X", "K", "v = w", 7],
  ]);
  expect(problems).toEqual([{ place: { file: "u.service", line: 5 }, text: "wrong" }]);
});

test.each([
  ["a \"b c\" d'e f'", ["a", "b c", "de f"]],
  ['"" x', ["", "x"]],
  ["tab\\tnew\\x41\\101\\u00e9", ["tab\tnewAAé"]],
  ["\\q \\\\ \\s", ["\\q", "\\", " "]],
])("the value %j has the words %j", (text, words) => {
  expect(unitWords(text)).toEqual(words);
});

test.each([
  ["/bin/a 'b ; c' \\; d", ["/bin/a 'b ; c' ';' d"]],
  ["/bin/a ; /bin/b", ["/bin/a", "/bin/b"]],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is how units write variables.
  ["-/bin/a $OPTS ${ONE}x $$5", ["/bin/a $OPTS \"${ONE}\"x '$'5"]],
  ["@/bin/a name b", ["/bin/a b"]],
  ["/bin/a *.txt", ["/bin/a '*.txt'"]],
])("the command line %j is %j for mgr", (value, lines) => {
  expect(unitCommands(value, (word) => word).map(commandLine)).toEqual(lines);
});

test("specifiers are replaced, and unknown ones refused", () => {
  const name = unitName("cam@left-eye.service");
  expect(withSpecifiers("%p %i %I %n %N %u %h %%", name, "ann")).toBe(
    "cam left-eye left/eye cam@left-eye.service cam@left-eye ann /home/ann %",
  );
  expect(() => withSpecifiers("%y", name, null)).toThrow("'%y'");
});

test("a dependency waits as the type of its unit says; After alone is a guess", async () => {
  const unit = (text: string, type = "simple") => `[Unit]\n${text}\n[Service]\nType=${type}\nExecStart=/bin/true\n`;
  const { processes, guesses, lost } = await importTexts(
    {
      "a.service": unit("Requires=b.service\nAfter=b.service c.service network.target\nWants=d.service"),
      "b.service": unit("", "oneshot"),
      "c.service": unit(""),
    },
    { whole: true },
  );
  expect(processes.a?.depends_on).toEqual({
    b: { condition: "completed", on_stop: "stop" },
    c: { condition: "started", on_stop: "keep" },
  });
  expect(guesses).toEqual(["3 a.service [Unit].After=c.service"]);
  expect(lost).toEqual(["4 a.service [Unit].Wants=d.service"]);
});
