/** What `/proc/PID/stat` and `/proc/PID/task/TID/stat` say of one process or thread, as far as lists of tasks need it. */
export interface TaskStat {
  /** The number the line begins with: of the thread, or of the process. */
  id: number;
  /** At most 15 bytes of whatever the program likes, for threads of the kernel up to 63. */
  comm: string;
  /** One letter: R S D Z T t X I. */
  state: string;
  ppid: number;
  session: number;
  tty: number;
  /** User and system time, clock ticks. */
  ticks: number;
  nice: number;
  threads: number;
  /** Clock ticks from boot; text because it identifies a process. */
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
/** Fields behind the name, proc(5) less 3. */
const [STATE, PPID, SESSION, TTY, UTIME, STIME, NICE, THREADS, START_TIME, PROCESSOR, PRIO, POLICY] = [
  0, 1, 3, 4, 11, 12, 16, 17, 19, 36, 37, 38,
] as const;

/** null: this is no such line. The name may hold blanks, newlines and parentheses: it ends at the LAST one. */
export function parseTaskStat(line: Buffer): TaskStat | null {
  const nameStart = line.indexOf(OPENING_PARENTHESIS);
  const nameEnd = line.lastIndexOf(CLOSING_PARENTHESIS);
  if (nameStart < 2 || nameEnd < nameStart || line[nameEnd + 1] !== SPACE) return null;
  const fields = line.toString("latin1", nameEnd + 2, line.length).split(" ");
  const number = (at: number) => Number(fields[at] ?? Number.NaN);
  const stat: TaskStat = {
    id: Number(line.toString("latin1", 0, nameStart - 1)),
    comm: line.toString("utf8", nameStart + 1, nameEnd),
    state: fields[STATE] ?? "",
    ppid: number(PPID),
    session: number(SESSION),
    tty: number(TTY),
    ticks: number(UTIME) + number(STIME),
    nice: number(NICE),
    threads: number(THREADS),
    startTime: fields[START_TIME] ?? "",
    processor: number(PROCESSOR),
    prio: number(PRIO),
    policy: number(POLICY),
  };
  return Number.isNaN(stat.id + stat.ticks + stat.threads + stat.policy) || stat.startTime === "" ? null : stat;
}
