import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, test } from "vitest";
import { parseConfigText } from "../../../src/config/load/load.ts";

const settingsOf = (text: string) =>
  parseConfigText(`instance: {name: t, manager: ":0"}\nstore_forward: ${text}\n`, "mgr.yaml").store_forward;

it("without other keys, samples of at most a day and 256 MiB are kept, and take a fifth of the link", () => {
  expect(settingsOf("{topics: [gps]}")).toEqual({
    topics: ["gps"],
    max_size: 256 * 1024 ** 2,
    max_age: 86_400_000,
    share: 0.2,
    bandwidth: null,
  });
});

test.each([
  ["{share: 0%}", /share: must be a share such as 20%/],
  ["{share: 101%}", /share: must be a share such as 20%/],
  ["{share: 0.2}", /share: must be a share such as 20%/],
  ["{topics: gps}", /topics: must be/],
  ["{max_age: -1s}", /max_age: must be/],
  ["{max_size: 1B}", /max_size: must be/],
])("store_forward: %s is refused at its field", (text, problem) => {
  expect(() => settingsOf(text)).toThrow(problem);
});

it("the example of docs/store-forward.md is valid", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/store-forward.md"), "utf8");
  const [, example = ""] = /^```yaml\n(.*?)^```/msu.exec(page) ?? [];
  expect(parseConfigText(example, "mgr.yaml").store_forward).toMatchObject({ topics: ["arm/*", "gps"], share: 0.2 });
});
