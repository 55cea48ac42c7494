import { type Command, InvalidArgumentError, Option } from "commander";
import { parseDuration, parseSize } from "../../config/schema/units.ts";

/** Options that several commands have, and parsers of option values. */

export const configuration = () =>
  new Option("-c, --config <file>", "configuration file (default: mgr.yaml in this folder or the nearest one above)");
export const trust = () => new Option("--trust-config", "use the configuration even if other users can change it");
export const profile = () =>
  new Option(
    "--profile <name>",
    "put the file of this profile over the configuration, such as mgr.dev.yaml for 'dev'; may be repeated",
  ).argParser(collected);
export const connecting = (command: Command) =>
  command
    .addOption(configuration())
    .addOption(trust())
    .addOption(profile())
    .option("--url <url>", "the manager's address (MGR_URL)")
    .option("--socket <path>", "the manager's socket for operators of this machine, which its log names (MGR_SOCKET)")
    .option("--user <name>", "web user (MGR_USER)")
    .option("--password-file <file>", "file that holds the user's password (MGR_PASSWORD_FILE)")
    .option(
      "--token-file <file>",
      "file that holds an access token, instead of user and password (MGR_TOKEN_FILE, or the token in MGR_TOKEN)",
    )
    .option("--ca-file <file>", "PEM file of certificates to trust for https (MGR_CA_FILE)");

export function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 86_400)) throw new InvalidArgumentError("expected a number of seconds, at most 86400.");
  return value;
}

export function port(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new InvalidArgumentError("expected a port from 0 to 65535; 0 selects a free port.");
  return value;
}

/** Parser of a whole number from 1 to `max`. */
export function wholeNumber(max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < 1 || value > max) throw new InvalidArgumentError(`expected a whole number from 1 to ${max}.`);
    return value;
  };
}

export const count = wholeNumber(100_000);

/** Parses a run of a process: its number, or how many runs before the newest one. */
export function runNumber(text: string): number {
  const value = Number(text);
  if (!/^-?\d{1,9}$/.test(text)) throw new InvalidArgumentError("expected the number of a run, 0 for the newest or -1 for the run before.");
  return value;
}

/** Parser of the length of a measurement or of a time axis, seconds. */
export function window(max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!(value >= 0.1 && value <= max)) throw new InvalidArgumentError(`expected a number of seconds from 0.1 to ${max}.`);
    return value;
  };
}

/** Parses an age, given as one or as a local time; a time of day that is still to come is that of yesterday. Returns seconds. */
export function age(text: string): number {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(s|m|h|d)$/.exec(text) ?? [];
  const unitSeconds = { s: 1, m: 60, h: 3_600, d: 86_400 }[unit];
  if (amount !== undefined && unitSeconds !== undefined) return Math.max(1, Number(amount) * unitSeconds);
  const isClock = /^\d{1,2}:\d{2}(:\d{2})?$/.test(text);
  const time = isClock ? lastTimeOfDay(text) : timeOf(text);
  const seconds = (Date.now() - time) / 1_000;
  if (Number.isNaN(seconds))
    throw new InvalidArgumentError("expected an age such as 30s, 10m or 2h, or a time such as 14:30 or '2026-11-27 14:30'.");
  if (seconds < 0) throw new InvalidArgumentError("this time is in the future.");
  return Math.max(1, seconds);
}

/** A date, with or without a time; NaN: it is none. `Date.parse` would take "10" for a month of 2001, and a date alone as UTC. */
function timeOf(text: string): number {
  if (!/^\d{4}-\d{2}-\d{2}([T ].+)?$/.test(text)) return Number.NaN;
  return Date.parse(text.length > 10 ? text : `${text} 00:00`);
}

/** The last time at which clocks showed this; NaN: it is no time of day. */
function lastTimeOfDay(text: string): number {
  const now = new Date();
  const today = new Date(`${now.toDateString()} ${text}`);
  if (today > now) today.setDate(today.getDate() - 1);
  return today.getTime();
}

/** Parses a size. Returns bytes. */
export function size(text: string): number {
  const bytes = parseSize(/^\d+$/.test(text) ? Number(text) : text);
  if (bytes === undefined) throw new InvalidArgumentError("expected a size such as 64KiB, 1GiB or a number of bytes.");
  return bytes;
}

/** Parses a duration. Returns milliseconds. */
export function duration(text: string): number {
  const milliseconds = parseDuration(/^\d+$/.test(text) ? Number(text) : text);
  if (milliseconds === undefined || milliseconds < 1_000) throw new InvalidArgumentError("expected a duration such as 30s, 10m or 2h.");
  return milliseconds;
}

/** Collects the values of an option that may be given several times. */
export function collected(value: string, before: string[] = []): string[] {
  return [...before, value];
}
