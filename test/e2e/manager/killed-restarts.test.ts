import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { seededRandom } from "../../support/random.ts";
import type { Client, ProcessView } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { isAlive } from "../support/marked.ts";
import { sh } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

/** More of them: `MGR_RESTART_TRIALS=100 npx vitest run --project e2e test/e2e/manager/killed-restarts.test.ts`. */
const TRIALS = Number(process.env.MGR_RESTART_TRIALS ?? 3);
const MAX_DELAY_MS = 150;

const file = (name: string) => `${name.replace("/", "-")}.runs`;
/** Notes each of its runs, and has to be killed. */
const stubborn = (name: string) => sh(`trap "" TERM; echo $$ >> ${file(name)}; while :; do sleep 0.1; done`);

const TREE: Record<string, string[]> = { root: [], left: ["root"], right: ["root"], twig: ["left"], leaf: ["left", "right"] };
const SINGLE = ["never", "on-failure", "always"] as const;

const processes = Object.fromEntries([
  ...Object.entries(TREE).map(([name, needs]) => {
    const depends_on = needs.map((need) => `tree/${need}`);
    return [`tree/${name}`, { command: stubborn(`tree/${name}`), depends_on, autostart: true }] as const;
  }),
  ...SINGLE.map((policy) => [policy, { command: stubborn(policy), restart: { policy, delay: "10ms" }, autostart: true }] as const),
]);
const NAMES = Object.keys(processes);

/** What kills the manager: the ack itself, a change that the restart makes, or some time after the ack. */
const MOMENTS: ((client: Client, from: number, random: () => number) => Promise<unknown>)[] = [
  async () => {},
  (client, from) => client.until("a member waits to start again", ({ process }) => (process as ProcessView)?.state === "waiting", from),
  (_client, _from, random) => pause(random() * MAX_DELAY_MS),
];

async function pidsOf(client: Client): Promise<Map<string, number>> {
  const { processes } = await client.snapshot();
  return new Map(
    (processes as ProcessView[]).flatMap(({ name, state, pid }) => (state === "started" && pid !== null ? [[name, pid]] : [])),
  );
}

test("a restart that was acknowledged is carried out once, however the manager is killed during it", {
  timeout: 120_000 + TRIALS * 60_000,
}, async () => {
  const random = seededRandom();
  await using instance = new Instance({ defaults: { stop: { timeout: "200ms" } }, processes });
  const runsOf = (name: string) => {
    // A process is started before its shell has done anything.
    const path = join(instance.dir, file(name));
    return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").length : 0;
  };
  await instance.mgr("up", "--detach");
  for (let trial = 0; trial < TRIALS; trial++) {
    const client = await instance.connect();
    const before = await eventually("all run", async () => {
      const pids = await pidsOf(client);
      return pids.size === NAMES.length ? pids : null;
    });
    await eventually("each has noted its run", () => NAMES.every((name) => runsOf(name) > trial));
    expect(Object.fromEntries(NAMES.map((name) => [name, runsOf(name)]))).toEqual(
      Object.fromEntries(NAMES.map((name) => [name, trial + 1])),
    );

    const from = client.here;
    await Promise.all([
      client.command({ type: "restart_group", name: "tree" }),
      ...SINGLE.map((name) => client.command({ type: "restart_process", name })),
    ]);
    await MOMENTS[trial % MOMENTS.length]?.(client, from, random);
    const manager = instance.kill("manager");
    await eventually("the manager is dead", () => !isAlive(manager));

    await instance.mgr("up", "--detach");
    const next = await instance.connect();
    await eventually("all run again", async () => {
      const pids = await pidsOf(next);
      return NAMES.every((name) => pids.has(name) && pids.get(name) !== before.get(name));
    }).catch(async (error: Error) => {
      const { processes } = await next.snapshot();
      const shown = (processes as ProcessView[]).map(({ name, state, exit }) => ({ name, state, exit }));
      throw new Error(`trial ${trial}: ${error.message}: ${JSON.stringify(shown)}`);
    });
    for (const name of NAMES) expect(await next.process(name), name).toMatchObject({ requested_state: "start", restarts: 0 });
  }
  await eventually("each has noted its run", () => NAMES.every((name) => runsOf(name) > TRIALS));
  expect(Object.fromEntries(NAMES.map((name) => [name, runsOf(name)]))).toEqual(
    Object.fromEntries(NAMES.map((name) => [name, TRIALS + 1])),
  );
  await instance.mgr("down");
  expect(instance.living()).toEqual([]);
});
