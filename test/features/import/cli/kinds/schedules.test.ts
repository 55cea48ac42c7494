import { expect, test } from "vitest";
import { cronOfCalendar } from "../../../../../src/features/import/cli/kinds/systemd/calendar.ts";
import { importTexts } from "../imported.ts";

test.each([
  ["daily", "0 0 * * *", null],
  ["weekly UTC", "0 0 * * 1", "UTC"],
  ["Mon..Fri 09:00", "0 9 * * 1-5", null],
  ["Sat,Sunday *-*-* 08:05:40 Europe/Berlin", "40 5 8 * * 6,7", "Europe/Berlin"],
  ["*-1/3-01,15 04:00", "0 4 1,15 1-12/3 *", null],
  ["*:0/15", "0-59/15 * * * *", null],
  ["10..14:30", "30 10-14 * * *", null],
])("the calendar event %j is the cron expression %j", (event, cron, timezone) => {
  expect(cronOfCalendar(event)).toEqual({ cron, timezone });
});

test.each(["Mon *-*-1 00:00", "2027-*-* 1:00", "*-*~1 00:00", "12:00:00.5", "Fri..Mon 12:00", "25:00", "sometimes", ""])(
  "the calendar event %j has no cron expression",
  (event) => {
    expect(cronOfCalendar(event)).toBeNull();
  },
);

const service = "[Service]\nType=oneshot\nExecStart=/bin/true\n";

test("a timer of systemd becomes the schedule of its service, from a folder and beside the file", async () => {
  const files = {
    "backup.service": service,
    "backup.timer":
      "[Unit]\nDescription=x\n[Timer]\nOnCalendar=*-*-* 03:30:00 UTC\nPersistent=true\nRandomizedDelaySec=5min\n[Install]\nWantedBy=timers.target\n",
    "poll.service": service,
    "often.timer": "[Timer]\nOnBootSec=1min\nOnUnitActiveSec=5min\nUnit=poll.service\n",
    "lost.timer": "[Timer]\nOnCalendar=daily\n",
    "odd.service": service,
    "odd.timer": "[Timer]\nOnCalendar=daily\nOnCalendar=12:00\n",
  };
  const { processes, guesses, lost } = await importTexts(files, { whole: true });
  expect(processes.backup).toMatchObject({ schedule: { cron: "30 3 * * *", timezone: "UTC", catch_up: true } });
  expect(processes.backup?.autostart).toBeUndefined();
  expect(processes.poll).toMatchObject({ schedule: { every: "300s" }, autostart: true });
  expect(processes.odd?.schedule).toBeUndefined();
  expect(guesses).toEqual(["3 often.timer [Timer].OnUnitActiveSec", "2 often.timer [Timer].OnBootSec"]);
  expect(lost.toSorted()).toEqual(["0 lost.timer", "2 odd.timer [Timer].OnCalendar", "6 backup.timer [Timer].RandomizedDelaySec"]);
  expect((await importTexts(files)).processes.backup).toMatchObject({ schedule: { cron: "30 3 * * *" } });
});

test("cron_restart of pm2 stops the run before, and an app that is always restarted is a guess", async () => {
  const app = (name: string, more: string) => `{"name": "${name}", "script": "x.sh", "cron_restart": "0 4 * * *"${more}}`;
  const { processes, guesses } = await importTexts({
    "ecosystem.config.json": `[${app("job", ', "autorestart": false')},\n${app("server", "")}]`,
  });
  expect(processes.job).toMatchObject({ schedule: { cron: "0 4 * * *", overlap: "kill" }, restart: { policy: "never" }, autostart: true });
  expect(processes.server).toMatchObject({ schedule: { cron: "0 4 * * *", overlap: "kill" }, restart: { policy: "on-failure" } });
  expect(guesses).toEqual(["2 apps[1].cron_restart"]);
});

test("schedules of process-compose are carried over; a process that is always restarted has none", async () => {
  const { processes, report } = await importTexts({
    "process-compose.yaml": `processes:
  nightly: {command: a, schedule: {cron: "0 2 * * *", timezone: UTC, interval: 1h, max_concurrent: 1}}
  often: {command: b, schedule: {interval: 30m, run_on_start: true, max_concurrent: 3, timezone: UTC}}
  wrong: {command: c, availability: {restart: always}, schedule: {cron: "0 2 * * *"}}
`,
  });
  expect(processes.nightly).toMatchObject({ schedule: { cron: "0 2 * * *", timezone: "UTC" }, autostart: false });
  expect(processes.often).toMatchObject({ schedule: { every: "1800s" }, autostart: true });
  expect(processes.wrong?.schedule).toBeUndefined();
  expect(report.dropped.map(({ key }) => key).toSorted()).toEqual([
    "processes.nightly.schedule.interval",
    "processes.often.schedule.max_concurrent",
    "processes.often.schedule.timezone",
    "processes.wrong.schedule.cron",
  ]);
});
