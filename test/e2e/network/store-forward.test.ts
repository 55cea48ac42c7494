import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { KeptTopic } from "../../../src/features/store-forward/wire.ts";
import { Fleet } from "../support/fleet.ts";
import { eventually } from "../support/wait.ts";

// The examples of docs/store-forward.md: a publisher on one machine, the program of the page on another one, and a link that is cut.

const ROOT = join(import.meta.dirname, "../../..");
const PAGE = readFileSync(join(ROOT, "docs/store-forward.md"), "utf8");
const example = (language: string) => new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "msu").exec(PAGE)?.[1] ?? "";
const IMPORT = 'import { connectClient } from "mgr/client";\n';
/** The programs that receive, by their languages. */
const LOGGERS = {
  js: { file: "logger.mjs", command: [process.execPath], text: IMPORT + example("js") },
  python: {
    file: "logger.py",
    command: ["env", `PYTHONPATH=${join(ROOT, "clients/python")}`, "python3", "-u"],
    text: `import asyncio\nfrom mgr_client import connect_client\n\nasync def main():\n${example("python").replaceAll(/^/gm, "    ")}\nasyncio.run(main())\n`,
  },
};
/** Publishes until a line comes, then prints how many it has published. */
const PUBLISHER = `${IMPORT}
const client = await connectClient({ name: "arm" });
const arm = await client.publisher("arm/state", { type: "object" });
let n = 0;
const timer = setInterval(() => arm.publish({ n: ++n }), 20);
process.stdin.once("data", async () => {
  clearInterval(timer);
  await client.flush();
  console.log(n);
});
`;
/** Samples that are published after the cut was found, by their bytes on the disk. */
const KEPT_BYTES = 8_000;

test.each([
  ["the manager", "js", false],
  ["a nats-server", "python", true],
] as const)(
  "over %s, a program (%s) that asks for late samples receives each sample of a cut once, and the late ones in order",
  async (_hub, language, nats) => {
    const { store_forward: storeForward } = parse(example("yaml")) as { store_forward: object };
    await using fleet = await Fleet.up({ hosts: ["robot", "station"], processes: {}, nats, leafnodes: nats, storeForward });
    const run = async (host: string, { file, command, text }: (typeof LOGGERS)["js"]) => {
      writeFileSync(join(fleet.dir, file), text);
      return fleet.run(host, ["env", `MGR_BUS_URL=${await fleet.busUrl(host)}`, ...command, join(fleet.dir, file)]);
    };
    mkdirSync(join(fleet.dir, "node_modules"));
    symlinkSync(ROOT, join(fleet.dir, "node_modules/mgr"));
    const samples = join(fleet.dir, "state-robot/store-forward/samples");
    const settings = join(fleet.dir, "state-robot/store-forward/settings.json");
    await eventually("the host knows its topics", () => statSync(settings, { throwIfNoEntry: false }) !== undefined);

    let output = "";
    const logger = await run("station", LOGGERS[language]);
    logger.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    const received = () =>
      [...output.matchAll(/^(live|late, of \d+ ns) (\d+) \{ ?'?n'?: (\d+) ?\}$/gm)].map(([, kind = "", seq, n]) => ({
        isLate: kind !== "live",
        seq: Number(seq),
        n: Number(n),
      }));
    const publisher = await run("robot", { file: "publisher.mjs", command: [process.execPath], text: PUBLISHER });
    await eventually("live samples arrive", () => received().length > 0);
    fleet.link("robot", "cut");
    const kept = () =>
      (existsSync(samples) ? readdirSync(samples, { recursive: true, encoding: "utf8" }) : [])
        .filter((name) => name.endsWith(".seg"))
        .reduce((sum, name) => sum + (statSync(join(samples, name), { throwIfNoEntry: false })?.size ?? 0), 0);
    const atCut = await eventually("the host keeps samples", () => kept() || null);
    await eventually("samples of the cut are on the disk", () => kept() > atCut + KEPT_BYTES);
    fleet.link("robot", "good");
    await eventually("late samples arrive", () => received().some(({ isLate }) => isLate));

    const stopped = new Promise<number>((resolve) => publisher.stdout.once("data", (text) => resolve(Number(String(text)))));
    publisher.stdin.write("\n");
    const last = await stopped;
    // Samples that were published before the program had subscribed, and were not confirmed when the link was cut, come late.
    const first = () => Math.min(...received().map(({ n }) => n));
    await eventually("all samples have arrived", () => received().length >= last - first() + 1);
    const all = received();
    expect(all.map(({ n }) => n).sort((a, b) => a - b)).toEqual(Array.from({ length: last - first() + 1 }, (_, at) => first() + at));
    expect(all.every(({ seq, n }) => seq === n)).toBe(true);
    const late = all.filter(({ isLate }) => isLate).map(({ n }) => n);
    expect(late).toEqual([...late].sort((a, b) => a - b));

    // The last confirmation may still be on its way.
    const client = await fleet.connect();
    const status = async () => (await client.ask({ type: "request_kept_samples", name: "arm/state" })).topics as KeptTopic[];
    const [host] = await eventually("nothing is kept any more", async () => {
      const topics = await status();
      return topics[0]?.samples === 0 ? topics : null;
    });
    expect(host).toMatchObject({ topic: "arm/state", host: "robot", state: "empty", dropped: 0, oldest_age_ms: null });
    expect(host?.sent).toBeGreaterThanOrEqual(late.length);
    const { steps } = (await client.ask({ type: "trace_topic", name: "arm/state" })) as { steps?: { kind: string; name: string }[] };
    expect(steps?.slice(0, 3).map(({ kind, name }) => `${kind} ${name}`)).toEqual(["publisher arm", "broker robot", "store robot"]);
  },
);
