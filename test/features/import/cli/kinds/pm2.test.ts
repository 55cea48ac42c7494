import { expect, test } from "vitest";
import { importTexts } from "../imported.ts";

test("copies of pm2 that depend on the processors of the machine are a guess, a number of copies is none", async () => {
  const app = (name: string, instances: string) => `{"name": "${name}", "script": "x.sh", "instances": ${instances}}`;
  const { guesses } = await importTexts({
    "ecosystem.config.json": `[${app("all", '"max"')},\n${app("most", "-1")},\n${app("auto", "0")},\n${app("two", "2")},\n${app("three", '"3"')}]`,
  });
  expect(guesses).toEqual(["1 apps[0].instances", "2 apps[1].instances", "3 apps[2].instances"]);
});
