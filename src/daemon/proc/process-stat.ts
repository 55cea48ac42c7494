/**
 * Content of `/proc/PID/stat` or `/proc/PID/task/TID/stat` for a process or thread. A process is identified by `pid` AND `startTime`: pids
 * are reused.
 */
export interface ProcessStat {
  /** Process id; for a thread, its own number. */
  pid: number;
  /** The program's name, at most 15 bytes (63 for threads of the kernel); execve changes it. */
  comm: string;
  /** One letter: R S D Z T t X I. */
  state: string;
  /** Whether the process has ended: a zombie without running threads. */
  ended: boolean;
  ppid: number;
  session: number;
  /** Device number of the controlling terminal, 0 for none. */
  tty: number;
  /** User and system time, clock ticks. */
  ticks: number;
  /** The same for the children that it has waited for, and for theirs. */
  childTicks: number;
  /** Page faults that had to read from a disk. */
  majorFaults: number;
  /** The same for the children that it has waited for, and for theirs. */
  childMajorFaults: number;
  /** Resident memory, pages. */
  rssPages: number;
  nice: number;
  threads: number;
  /** Start time, clock ticks since boot. Text, because it identifies a process. */
  startTime: string;
  /** The CPU that it ran on last. */
  processor: number;
  /** 1 to 99 under FIFO and RR, else 0. */
  prio: number;
  policy: number;
}

const SPACE = 0x20;
const OPENING_PARENTHESIS = 0x28;
const CLOSING_PARENTHESIS = 0x29;
/** Indexes of the fields after the name: the numbers of proc(5) minus 3. */
const [
  STATE,
  PPID,
  SESSION,
  TTY,
  MAJOR_FAULTS,
  CHILD_MAJOR_FAULTS,
  UTIME,
  STIME,
  CUTIME,
  CSTIME,
  NICE,
  THREADS,
  START_TIME,
  RSS,
  PROCESSOR,
  PRIO,
  POLICY,
] = [0, 1, 3, 4, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 36, 37, 38] as const;

/** Parses a stat line; null: it is not one. The name may hold blanks, newlines and parentheses: it ends at the LAST one. */
export function parseStat(line: Buffer): ProcessStat | null {
  const nameStart = line.indexOf(OPENING_PARENTHESIS);
  const nameEnd = line.lastIndexOf(CLOSING_PARENTHESIS);
  if (nameStart < 2 || nameEnd < nameStart || line[nameEnd + 1] !== SPACE) return null;
  const fields = line.toString("latin1", nameEnd + 2, line.length).split(" ", POLICY + 1);
  const number = (at: number) => Number(fields[at] ?? Number.NaN);
  const state = fields[STATE] ?? "";
  const stat: ProcessStat = {
    pid: Number(line.toString("latin1", 0, nameStart - 1)),
    comm: line.toString("utf8", nameStart + 1, nameEnd),
    state,
    // The main thread of a living process may have ended on its own: a zombie with threads runs.
    ended: state === "X" || (state === "Z" && number(THREADS) <= 1),
    ppid: number(PPID),
    session: number(SESSION),
    tty: number(TTY),
    ticks: number(UTIME) + number(STIME),
    childTicks: number(CUTIME) + number(CSTIME),
    majorFaults: number(MAJOR_FAULTS),
    childMajorFaults: number(CHILD_MAJOR_FAULTS),
    rssPages: number(RSS),
    nice: number(NICE),
    threads: number(THREADS),
    startTime: fields[START_TIME] ?? "",
    processor: number(PROCESSOR),
    prio: number(PRIO),
    policy: number(POLICY),
  };
  return Number.isNaN(stat.pid + stat.ticks + stat.threads + stat.policy) || stat.startTime === "" ? null : stat;
}
