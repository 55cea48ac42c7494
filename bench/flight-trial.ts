// Trial of the flight recorder: five hosts in namespaces, ten publishers at 1 kHz with journals, one host whose clock is 1.3 s wrong. A process is killed, and the
// incident has 30 s before and 5 s after from all hosts. Fails if a sample or a printed line is missing, if a clock is not within its written uncertainty, or if
// Python or the page reads something else than @mcap/core. Peer: the allowed uncertainty. Needs root and libfaketime.
// `npm run build && npx tsx bench/flight-trial.ts`
import { shownIncident } from "../test/e2e/flight/shown-incident.ts";
import { FlightTrial } from "../test/e2e/flight/trial.ts";
import { launchBrowser } from "../test/e2e/support/demo.ts";
import { printFigure, rounded } from "./support/figure.ts";

const SIZE = { hosts: 5, publishers: 10, rate: 1_000, bytes: 128, before: 30, after: 5 };
const ALLOWED_MS = 1;
const VICTIM = "victims/h2";

const check = (what: string, isRight: boolean) => {
  if (isRight) return;
  process.exitCode = 1;
  console.error(`wrong: ${what}`);
};

await using trial = await FlightTrial.up(SIZE);
trial.killPid("h2", Number((await trial.client.process(VICTIM)).pid));
const { id, missing, size, messages } = await trial.incident(VICTIM);
const path = await trial.save(id);
const { clocks, expected, lost, disordered, unprinted, terminals } = await trial.judge(path);
check(`the incident lacks ${missing.join("; ")}`, missing.length === 0);
check(`${lost} of ${expected} samples are lost, ${disordered} out of order`, lost === 0 && disordered === 0 && expected > 0);
check(`${unprinted} lines are in no terminal`, unprinted === 0 && terminals === SIZE.publishers);
for (const [host, { error, uncertainty }] of Object.entries(clocks))
  check(`the clock of ${host} is wrong by ${error} ms, and known to ${uncertainty} ms`, Math.abs(error) <= uncertainty);
const read = await trial.python(path);
const total = Object.values(read.messages).reduce((sum, count) => sum + count, 0);
check(`Python finds ${total} messages, and the incident has ${messages}`, total === messages);
const browser = await launchBrowser();
const { facts, value, terminal } = await shownIncident(browser, trial.fleet, {
  id,
  field: "mgr/link:rtt_ms",
  terminal: "publishers/p1",
}).finally(() => browser.close());
check(`the page does not name all hosts: ${facts}`, trial.hosts.every((host) => facts.includes(host)) && !facts.includes("Missing"));
check(`the page shows the value ${value} and the terminal '${terminal}'`, value > 0 && terminal.includes("sample"));
const uncertainty = Math.max(...Object.values(clocks).map((clock) => clock.uncertainty));
printFigure({
  figure: "flight-trial",
  unit: `ms, uncertainty of the clocks of ${SIZE.hosts} hosts, one of them 1.3 s wrong`,
  value: rounded(uncertainty, 3),
  peer: "allowed",
  peer_value: ALLOWED_MS,
  worst_error_ms: rounded(Math.max(...Object.values(clocks).map(({ error }) => Math.abs(error))), 3),
  samples_expected: expected,
  samples_lost: lost,
  file_mib: rounded(size / 1024 / 1024),
});
check(`the clocks are known to ${uncertainty} ms`, uncertainty < ALLOWED_MS);
