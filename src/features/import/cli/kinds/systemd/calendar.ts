/** A cron expression with the same times as a calendar event of systemd. */
export interface CronSchedule {
  readonly cron: string;
  readonly timezone: string | null;
}

/** Words for whole events (systemd.time(7)); `weekly` begins on Monday. */
const SHORTHANDS: Readonly<Record<string, string>> = {
  minutely: "* * * * *",
  hourly: "0 * * * *",
  daily: "0 0 * * *",
  weekly: "0 0 * * 1",
  monthly: "0 0 1 * *",
  quarterly: "0 0 1 1,4,7,10 *",
  semiannually: "0 0 1 1,7 *",
  yearly: "0 0 1 1 *",
  annually: "0 0 1 1 *",
};

/** Days of the week, which begins on Monday; cron counts them from 1. */
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const DAY = /^(sun|mon|tue|wed|thu|fri|sat)(?:day|sday|nesday|rsday|urday)?$/;

/** The cron expression for a calendar event of systemd; null: there is none, or the event is not valid. */
export function cronOfCalendar(event: string): CronSchedule | null {
  const words = event.trim().split(/\s+/);
  const timezone = words.length > 1 && /^(UTC|[A-Z]\w*(\/[\w+-]+)+)$/.test(words.at(-1) ?? "") ? (words.pop() ?? null) : null;
  const shorthand = words.length === 1 ? SHORTHANDS[words[0] ?? ""] : undefined;
  if (shorthand !== undefined) return { cron: shorthand, timezone };
  const weekdays = /^[a-z]/i.test(words[0] ?? "") ? daysOfWeek(words.shift() ?? "") : "*";
  const date = words[0]?.includes(":") === false ? datePart(words.shift() ?? "") : { month: "*", day: "*" };
  const time = words.length === 0 ? { hour: "0", minute: "0", second: "0" } : timePart(words.shift() ?? "");
  if (weekdays === null || date === null || time === null || words.length > 0) return null;
  // systemd needs both days to match, and cron either of them.
  if (weekdays !== "*" && date.day !== "*") return null;
  const seconds = time.second === "0" ? "" : `${time.second} `;
  return { cron: `${seconds}${time.minute} ${time.hour} ${date.day} ${date.month} ${weekdays}`, timezone };
}

function daysOfWeek(text: string): string | null {
  const parts = text
    .toLowerCase()
    .replace(/,$/, "")
    .split(",")
    .map((part) => {
      const ends = part.split(/\.\.|-/).map((word) => DAYS.indexOf(DAY.exec(word)?.[1] ?? "") + 1);
      const [first = 0, last = first] = ends;
      if (ends.length > 2 || first === 0 || last < first) return null;
      return ends.length === 1 ? String(first) : `${first}-${last}`;
    });
  return parts.includes(null) ? null : parts.join(",");
}

/** A date: month and day, or `*` for the year before them. Cron has no years, and no days from the end of a month. */
function datePart(text: string): { month: string; day: string } | null {
  const parts = text.split("-");
  if (parts.length === 3 && parts.shift() !== "*") return null;
  if (parts.length !== 2) return null;
  const month = component(parts[0] ?? "", 1, 12);
  const day = component(parts[1] ?? "", 1, 31);
  return month === null || day === null ? null : { month, day };
}

function timePart(text: string): { hour: string; minute: string; second: string } | null {
  const parts = text.split(":");
  if (parts.length < 2 || parts.length > 3) return null;
  const [hour, minute, second] = [component(parts[0] ?? "", 0, 23), component(parts[1] ?? "", 0, 59), component(parts[2] ?? "0", 0, 59)];
  return hour === null || minute === null || second === null ? null : { hour, minute, second };
}

/** A list of values, ranges (`..`) and repetitions (`/`) as cron writes it; null: cron has none. */
function component(text: string, least: number, most: number): string | null {
  const parts = text.split(",").map((part) => {
    if (part === "*") return part;
    const match = /^(\d{1,2})(?:\.\.(\d{1,2}))?(?:\/(\d{1,2}))?$/.exec(part);
    if (match === null) return null;
    const [first, last, step] = match.slice(1).map((each) => (each === undefined ? null : Number(each)));
    if (first == null || first < least || (last ?? first) < first || (last ?? first) > most || step === 0) return null;
    if (step != null) return `${first}-${last ?? most}/${step}`;
    return last == null ? String(first) : `${first}-${last}`;
  });
  return parts.includes(null) ? null : parts.join(",");
}
