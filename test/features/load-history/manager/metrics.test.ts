import { Counter, Gauge, Registry } from "prom-client";
import { expect, test } from "vitest";
import { loadMetrics } from "../../../../src/features/load-history/manager/metrics.ts";
import { HISTORY, LOAD } from "../fake-load-history.ts";

test("the metrics have the 1,000 processes that use the most CPU, and the number of the others", async () => {
  const registry = new Registry();
  const processes = Array.from({ length: 1_005 }, (_, index) => ({
    name: `p${index}`,
    host: "testhost",
    ts: HISTORY.start,
    load: { ...LOAD, cpu_percent: index },
  }));
  const part = loadMetrics({ newest: async () => ({ processes, away: [] }) });
  part.define({
    gauge: (name, help, labelNames, fill) => {
      const gauge: Gauge = new Gauge({ name, help, labelNames, registers: [registry], collect: () => fill(gauge) });
    },
    total: (name, help, labelNames, fill) => {
      const counter: Counter = new Counter({ name, help, labelNames, registers: [registry], collect: () => fill(counter) });
    },
  });
  await part.collect?.();
  const text = await registry.metrics();
  const ratios = text.match(/^mgr_process_cpu_ratio\{.*$/gm) ?? [];
  expect(ratios).toHaveLength(1_000);
  expect(ratios[0]).toBe('mgr_process_cpu_ratio{process="p1004",host="testhost"} 10.04');
  expect(text).not.toContain('process="p4"');
  expect(text).toContain("mgr_process_loads_left_out 5");
  // An unknown figure has no value.
  expect(text).not.toMatch(/^mgr_process_major_page_faults_per_second\{/m);
});
