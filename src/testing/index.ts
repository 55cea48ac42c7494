/** `mgr/testing`: for test harnesses, in addition to `mgr`. */

export * from "../features/testing.ts";
export { type Bench, type BenchOptions, createBench } from "./bench.ts";
export { FakeHost, type FakeHostOptions, type HostAnswers } from "./fake-host.ts";
export type { FakeProcess, FakeProgram, FakePrograms, FakeScript } from "./fake-program.ts";
export { assertHappened, type MgrMatchers, matchers } from "./matchers.ts";
export type { RecordedEvent } from "./recorded-event.ts";
export { Recorder, type RecorderOptions } from "./recorder.ts";
export { SimulatedClock } from "./simulated-clock.ts";
