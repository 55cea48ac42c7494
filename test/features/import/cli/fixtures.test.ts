import { join } from "node:path";
import { expect, test } from "vitest";
import { FIXTURES, importFile } from "./imported.ts";

/** File or folder → the processes that it becomes. Each configuration passes the check, or the import fails. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  "process-compose/bench": ["setup", "simulator", "ui/viewer/0", "ui/viewer/1"],
  "process-compose/shop": ["database", "backend", "nightly"],
  "process-compose/pipeline": ["ingest", "transform", "load"],
  "compose/site": ["migrate", "web/1", "web/2"],
  "compose/metrics": ["collector", "shipper"],
  "compose/queue": ["redis", "worker/1", "worker/2", "worker/3"],
  "supervisord/app": ["web/web_00", "web/web_01", "back/worker", "ticker"],
  "supervisord/classic/site.conf": ["gunicorn", "celery"],
  "pm2/api": ["api/0", "api/1", "worker"],
  "pm2/workers": ["jobs/queue", "tool"],
  "pm2/script": ["left", "right"],
  "procfile/plain": ["web", "worker"],
  "procfile/rails/Procfile.dev": ["web", "css", "job", "release"],
  "procfile/bots": ["left-bot", "right_bot", "clock"],
  "systemd/camera": ["calibration", "viewer", "camera@left", "camera@right"],
  "systemd/daemons": ["api", "nginx"],
  "systemd/jobs/backup.service": ["backup"],
};

test.each(Object.entries(EXPECTED))("%s becomes a configuration that passes the check", async (path, processes) => {
  const { report } = await importFile(join(FIXTURES, path), { runJavascript: true });
  expect(report.processes).toEqual(processes);
  expect(report.dropped.filter(({ why }) => why.includes("does not accept"))).toEqual([]);
});

test("60 programs of supervisord become 60 processes without an error", async () => {
  const { report, processes, lost } = await importFile(join(FIXTURES, "supervisord/sixty"), { environment: { BASE_PORT: "7000" } });
  expect(report.processes).toHaveLength(60);
  expect(processes["sensors/camera0"]).toMatchObject({ autostart: true, environment: { CHANNEL: "0" } });
  expect(processes.logger9?.command).toBe("/bin/sleep 100058");
  expect(lost.filter((key) => !/priority|stderr_logfile|stdout_logfile|supervisord\.nodaemon|inet_http_server/.test(key))).toEqual([]);
});

test("the configuration names where each process comes from, marks guesses at their keys, and lists what was not carried over", async () => {
  const { text, lost, guesses } = await importFile(join(FIXTURES, "systemd/daemons"));
  expect(text).toMatch(/# \S*nginx\.service:\d+ nginx\.service\n {2}# A web server\n/);
  expect(text).toMatch(/# guess: it sends this signal to the main process[^\n]*\n {4}stop: \{timeout: 5s, signal: SIGQUIT\}/);
  expect(text).toContain("# not carried over: nginx.service [Service].PrivateTmp (line 15): mgr does not put processes into sandboxes");
  expect(lost).toContain("15 nginx.service [Service].PrivateTmp");
  expect(lost).toContain("2 api.timer [Timer].OnCalendar");
  expect(guesses).toContain("12 nginx.service [Service].ExecStop");
});
