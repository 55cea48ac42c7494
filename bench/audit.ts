// Commands a second of 20 clients with the audit; peer: without it. Then 10,000 accepted commands with kills of the manager in between: how many of
// them are not in the audit exactly once, which must be none.
// `npx tsx bench/audit.ts`; MGR_BENCH_COMMANDS is the number of commands, MGR_BENCH_KILLS that of kills.
import { Instance } from "../test/e2e/support/instance.ts";
import { eventually } from "../test/e2e/support/wait.ts";
import { commandStorm, recordedIds } from "../test/support/command-storm.ts";
import { printFigure, rounded } from "./support/figure.ts";

const COMMANDS = Number(process.env.MGR_BENCH_COMMANDS ?? 10_000);
const KILLS = Number(process.env.MGR_BENCH_KILLS ?? 20);
const CLIENTS = 20;
const PROCESSES = ["a", "b", "c", "d"];

function instanceOf(audit: Record<string, unknown>): Instance {
  const process = { command: "sleep 100000", autostart: true };
  return new Instance({ audit, processes: Object.fromEntries(PROCESSES.map((name) => [name, process])) });
}

const target = (instance: Instance) => ({
  url: instance.url.replace(/^http/, "ws"),
  authorization: instance.basic,
  clients: CLIENTS,
  processes: PROCESSES,
});

async function perSecond(audit: Record<string, unknown>, name: string): Promise<number> {
  await using instance = instanceOf(audit);
  await instance.mgr("up", "--detach");
  // The first commands load code.
  await commandStorm({ ...target(instance), name: `${name}-before`, commands: 1_000 });
  const begin = performance.now();
  const accepted = await commandStorm({ ...target(instance), name, commands: COMMANDS });
  const seconds = (performance.now() - begin) / 1_000;
  await instance.mgr("down");
  return accepted.length / seconds;
}

async function withKills(): Promise<{ accepted: number; wrong: number }> {
  await using instance = instanceOf({});
  const accepted: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    await instance.mgr("up", "--detach");
    const end = () => void instance.kill("manager");
    accepted.push(...(await commandStorm({ ...target(instance), name: `kill${kill}`, commands: Math.ceil(COMMANDS / KILLS), end })));
    await eventually("the manager is gone", () => instance.pidOf("manager") === null);
  }
  await instance.mgr("up", "--detach");
  const counts = recordedIds(instance.stateDir);
  await instance.mgr("audit", "verify");
  await instance.mgr("down");
  return { accepted: accepted.length, wrong: accepted.filter((id) => counts.get(id) !== 1).length };
}

const without = await perSecond({ enabled: false }, "without");
const withAudit = await perSecond({}, "with");
const { accepted, wrong } = await withKills();
printFigure({
  figure: "commands of 20 clients, audited",
  unit: "commands/s",
  value: rounded(withAudit, 0),
  peer: "without the audit",
  peer_value: rounded(without, 0),
  kills: KILLS,
  accepted_with_kills: accepted,
  not_recorded_exactly_once: wrong,
});
if (wrong > 0) process.exitCode = 1;
