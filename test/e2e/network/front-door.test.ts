import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeCertificate } from "../../http/certificates.ts";
import { Instance } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";

test("/save-all of a living manager: tar opens it, outputs are what clients read, and no secret is in it", async () => {
  await using instance = await Instance.up({
    defaults: { environment: { API_KEY: "CANARY" } },
    processes: {
      "tools/printer": {
        command: ["sh", "-c", "for n in $(seq 20000); do echo line $n grün; done; sleep 1000"],
        ready: { regex: "line 20000 " },
        autostart: true,
      },
      never: { command: "true", environment: { TOKEN: "CANARY" } },
    },
  });
  const client = await instance.connect();
  await instance.mgr("start", "tools/printer");
  // It counts as ready before it has ended its last line.
  await eventually("it has printed all", async () =>
    String((await client.ask({ type: "get_process_output", name: "tools/printer" })).output).endsWith("line 20000 grün\r\n"),
  );
  const response = await instance.fetch("/save-all?name=bench");
  expect([response.status, response.headers.get("content-disposition")]).toEqual([200, 'attachment; filename="bench.tar.bz2"']);
  const archive = join(instance.dir, "unpacked");
  mkdirSync(archive);
  execFileSync("tar", ["xjf", "-"], { cwd: archive, input: Buffer.from(await response.arrayBuffer()) });
  const read = (file: string) => readFileSync(join(archive, "bench", file), "utf8");

  const live = await client.ask({ type: "get_process_output", name: "tools/printer", lines: 100_000 });
  expect(read("output/tools/printer.txt") === live.output).toBe(true);
  expect(read("output/never.txt")).toBe("");
  const snapshot = await client.ask({ type: "get_snapshot" });
  expect(JSON.parse(read("snapshot.json"))).toMatchObject({ processes: snapshot.processes, process_tree: snapshot.process_tree });
  const [host] = snapshot.hosts as string[];
  const tasks = JSON.parse(read(`process-list/${host}.json`)) as { columns: { name: string }[]; rows: { process: string | null }[] };
  expect(tasks.columns.some(({ name }) => name === "env")).toBe(false);
  expect(tasks.rows.length).toBeGreaterThan(20);
  const log = await (await instance.fetch("/mgr/log")).text();
  expect(log.startsWith(read("manager.log").split("\n").slice(0, 5).join("\n"))).toBe(true);
  expect(JSON.parse(read("config/mgr.yaml"))).toMatchObject({ processes: { never: { command: "true", environment: { TOKEN: "***" } } } });

  const files = execFileSync("find", [archive, "-type", "f"], { encoding: "utf8" }).trim().split("\n");
  const everything = files.map((file) => readFileSync(file, "utf8")).join("\n");
  for (const secret of ["CANARY", instance.password]) expect(everything).not.toContain(secret);
});

test("https_only: people are sent to HTTPS, the command line of this machine needs none, and metrics count them", async () => {
  await using instance = new Instance({ processes: { a: { command: "sleep 1000" } } });
  const { certFile, keyFile } = makeCertificate(instance.dir, "bench");
  writeFileSync(certFile, readFileSync(keyFile, "utf8") + readFileSync(certFile, "utf8"), { mode: 0o600 });
  instance.write({ instance: { webui_https_cert_file: "bench.pem", https_only: true }, processes: { a: { command: "sleep 1000" } } });
  const foreground = instance.start("up", "-c", instance.config);
  await foreground.up();
  expect(foreground.stdout).toMatch(/ is up at https:\/\/localhost:\d+/);
  expect((await instance.mgr("ps")).stdout).toContain("stopped");
  const redirect = await instance.fetch("/", { redirect: "manual" });
  expect(redirect.status).toBe(308);
  const secure = get(new URL("/mgr/metrics", redirect.headers.get("location") ?? ""), {
    headers: { authorization: instance.basic },
    rejectUnauthorized: false,
  });
  const [page] = await once(secure, "response");
  let text = "";
  for await (const chunk of page) text += String(chunk);
  expect(page.headers["set-cookie"]).toEqual([expect.stringMatching(/; Secure$/)]);
  expect(text).toContain('mgr_processes{state="stopped"} 1\n');
  expect(text).toMatch(/^mgr_frames_total\{direction="sent"\} [1-9]/m);
});
