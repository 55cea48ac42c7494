import { expect, test } from "vitest";
// @ts-expect-error: JavaScript without types.
import { nearestTests, readImporters } from "../../scripts/near-tests.js";

const nearest = nearestTests as (file: string, importers: ReadonlyMap<string, readonly string[]>) => string[];
const importers = new Map([
  ["src/a.ts", ["src/b.ts", "test/support/a.ts", "test/e2e/a.test.ts"]],
  ["src/b.ts", ["src/c.ts", "src/a.ts", "test/b.test.ts"]],
  ["test/support/a.ts", ["test/a.test.ts"]],
  ["src/c.ts", ["test/c.test.ts"]],
]);

test("the unit tests nearest to a file are those that import it through the fewest others, in a circle too", () => {
  expect(nearest("src/a.ts", importers)).toEqual(["test/b.test.ts", "test/a.test.ts"]);
  expect(nearest("src/c.ts", importers)).toEqual(["test/c.test.ts"]);
  expect(nearest("test/a.test.ts", importers)).toEqual(["test/a.test.ts"]);
  expect(nearest("README.md", importers)).toEqual([]);
});

test("the imports of the sources, the page and the tests are read", () => {
  const found = readImporters() as ReadonlyMap<string, string[]>;
  expect(found.get("src/base/errors.ts")).toContain("test/base/errors.test.ts");
  expect(found.get("scripts/near-tests.js")).toContain("test/scripts/near-tests.test.ts");
  expect([...found.keys()].filter((file) => file.startsWith("web/src/")).length).toBeGreaterThan(50);
});

test("a test that imports only types of a file is not nearest to it", () => {
  const outbox = (importers: unknown) => (importers as ReadonlyMap<string, string[]>).get("src/transport/outbox.ts");
  const typesOnly = "test/transport/load/many-connections.test.ts";
  expect(outbox(readImporters())).toContain(typesOnly);
  expect(outbox(readImporters({ types: false }))).not.toContain(typesOnly);
  expect(outbox(readImporters({ types: false }))).toContain("test/transport/outbox.test.ts");
});
