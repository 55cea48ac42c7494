import { Histories } from "../../../src/features/load-history/host/histories.ts";
import { type Figures, HOST_SERIES, PROCESS_SERIES, SAMPLE_MS } from "../../../src/features/load-history/series.ts";
import { formatTime } from "../../../src/protocol/time.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";

/** Samples between two writes: the newest 80 s are in memory. */
const SAMPLES_PER_SAVE = 6;

interface MadeUp {
  /** The state folder of a daemon that does not run yet. */
  readonly stateFolder: string;
  readonly names: readonly string[];
  readonly hours: number;
  /** When it ends, milliseconds since 1970. */
  readonly until: number;
  /** Figures of the process of this place at a time; null: a gap. By default waves of their own height and speed. */
  readonly figures?: (place: number, time: number) => Figures | null;
}

/** Writes the history of processes that never ran, as a daemon does. */
export async function makeUpHistory({ stateFolder, names, hours, until, figures = waves }: MadeUp): Promise<void> {
  const begin = Math.floor(until / SAMPLE_MS) * SAMPLE_MS - hours * 3_600_000;
  const clock = new SimulatedClock(formatTime(begin));
  const fail = (_level: string, msg: string) => {
    throw new Error(msg);
  };
  const histories = new Histories({ clock, log: fail, stateFolder, machineSeries: HOST_SERIES.length });
  await histories.begun;
  for (let number = 1; number <= (hours * 3_600_000) / SAMPLE_MS; number++) {
    await clock.advance(SAMPLE_MS);
    const interval = { from: clock.now() - SAMPLE_MS, to: clock.now() };
    for (const [place, name] of names.entries()) {
      const sample = figures(place, clock.now());
      if (sample === null) histories.end(name);
      else histories.open(name).add(sample, interval);
    }
    if (number % SAMPLES_PER_SAVE === 0) await histories.files?.save();
  }
  await histories.close();
}

function waves(place: number, time: number): Figures {
  const wave = (seconds: number) => 1 + Math.sin((2 * Math.PI * time) / (1_000 * seconds) + place);
  const of: Record<(typeof PROCESS_SERIES)[number], number> = {
    cpu_percent: (100 / (1 + place)) * wave(600 + 40 * place) + 4 * wave(47),
    memory: 2 ** 20 * (20 + 10 * (place % 7) + 8 * wave(3_000 + 100 * place)),
    threads: 4 + (place % 5),
    descriptors: 12 + (place % 9),
    read_bytes_s: 1_000 * (place % 3) * wave(200),
    written_bytes_s: 40_000 * (place % 4) * wave(900),
    context_switches_s: 20 * wave(300),
    major_faults_s: 0,
  };
  return PROCESS_SERIES.map((series) => of[series]);
}
