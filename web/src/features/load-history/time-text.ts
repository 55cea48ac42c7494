const formats = new Map<string, Intl.DateTimeFormat>();

function format(name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const known = formats.get(name) ?? new Intl.DateTimeFormat(undefined, { hourCycle: "h23", ...options });
  formats.set(name, known);
  return known;
}

const day = () => format("day", { month: "short", day: "numeric" });
const minutes = () => format("minutes", { hour: "2-digit", minute: "2-digit" });
const seconds = () => format("seconds", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dated = () => format("dated", { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" });

const A_DAY_S = 86_400;
const A_DAY_MS = 86_400_000;

/** The time of day; with the date if it is more than a day ago. */
export const momentText = (time: number): string => (Date.now() - time > A_DAY_MS ? dated() : seconds()).format(time);

/** Labels of a time axis with a step in seconds: the date where a day begins. `times`: seconds since 1970. */
export function axisTexts(times: readonly (number | null)[], step: number): string[] {
  return times.map((time) => {
    if (time === null) return "";
    const at = new Date(time * 1_000);
    const isMidnight = at.getHours() === 0 && at.getMinutes() === 0 && at.getSeconds() === 0;
    if (step >= A_DAY_S || isMidnight) return day().format(at);
    return (step < 60 ? seconds() : minutes()).format(at);
  });
}

/** Length of a time: "10 s", "5 min", "2 h". */
export function lengthText(length: number): string {
  if (length < 120) return `${Math.round(length)} s`;
  if (length < 7_200) return `${Math.round(length / 60)} min`;
  return `${Math.round(length / 3_600)} h`;
}
