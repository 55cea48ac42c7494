import { expect, test } from "vitest";
import { sparkline } from "../../../../src/features/load-history/cli/sparkline.ts";
import { usageCsv, usageText } from "../../../../src/features/load-history/cli/usage-text.ts";
import { HISTORY } from "../fake-load-history.ts";

test("a curve has a block for each value and a blank for each gap", () => {
  expect(sparkline([0, 1, 2, 4, null, 8])).toBe("▁▂▃▅ █");
  expect(sparkline([0, 0])).toBe("▁▁");
  expect(sparkline([null, null])).toBe("  ");
});

test("a table has minimum, mean, maximum and the curve of each series, and says where the history begins", () => {
  const [head, , cpu, memory] = usageText(HISTORY).split("\n");
  expect(head).toBe(
    "sim/world on testhost, 2026-11-21 08:14:00 to 2026-11-21 08:14:30 UTC: a point every 10 s, measured every 10 s, history since 2026-11-21 08:00:00",
  );
  expect(cpu).toMatch(/^CPU% +1\.0 +3\.0 +8\.0 +▅ █$/);
  expect(memory).toMatch(/^MEMORY +1\.0 MiB +1\.5 MiB +3\.0 MiB +▅ █$/);
});

test("comma-separated values have a line for each point, and a name that no spreadsheet evaluates", () => {
  const [head, first, gap] = [...usageCsv([{ ...HISTORY, name: '=cmd("x")' }])];
  expect(head?.split(",")).toHaveLength(3 + 8 * 3);
  expect(first).toMatch(/^2026-11-21T08:14:00\.000,"'=cmd\(""x""\)","testhost",1,2,3,1048576,/);
  expect(gap).toMatch(/^2026-11-21T08:14:10\.000,"'=cmd\(""x""\)","testhost",,,,/);
});
