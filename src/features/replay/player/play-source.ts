import { MgrError } from "../../../base/errors.ts";
import {
  type FileChannel,
  type FileMessage,
  type MessageFile,
  openMessageFile,
  type ReadLimits,
} from "../../recordings/samples/mcap/message-file.ts";
import { MAX_FILES } from "../limits.ts";

/** The messages of the files of one recording, or of several, in the order of time. */
export class PlaySource implements AsyncDisposable {
  readonly files: readonly MessageFile[];
  /** Times of the first and last message, nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;

  private constructor(files: readonly MessageFile[], { start, end }: { start: bigint; end: bigint }) {
    this.files = files;
    this.start = start;
    this.end = end;
  }

  /** Rejects with `not_found`, `bad_field` and `too_large`. */
  static async open(paths: readonly string[], limits?: ReadLimits): Promise<PlaySource> {
    if (paths.length > MAX_FILES) throw new MgrError("too_large", `${paths.length} files; at most ${MAX_FILES} can be played together`);
    const files: MessageFile[] = [];
    try {
      for (const path of paths) files.push(await openMessageFile(path, limits));
      const times = files.flatMap((file) => (file.times === null ? [] : [file.times]));
      const [first, ...others] = times;
      if (first === undefined) throw new MgrError("not_found", `there is no message in ${paths.join(", ")}`);
      const span = { ...first };
      for (const { start, end } of others) {
        if (start < span.start) span.start = start;
        if (end > span.end) span.end = end;
      }
      return new PlaySource(files, span);
    } catch (error) {
      for (const file of files) await file.close();
      throw error;
    }
  }

  get channels(): readonly FileChannel[] {
    return this.files.flatMap(({ channels }) => channels);
  }

  /** Files that could not be read, one sentence each. */
  get problems(): string[] {
    return this.files.flatMap(({ path, problem }) => (problem === null ? [] : [`${path} ${problem}`]));
  }

  /** From a time on. A file is read from the time of its first message on, so that those of one recording are read one after the other. */
  async *messages(from: bigint, wants: (topic: string) => boolean): AsyncGenerator<FileMessage> {
    const waiting = this.files
      .flatMap((file) => (file.times === null || file.times.end < from ? [] : [{ file, start: file.times.start }]))
      .sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
    const open: { head: FileMessage; readonly rest: AsyncGenerator<FileMessage> }[] = [];
    try {
      for (;;) {
        let next = earliest(open);
        while (waiting[0] !== undefined && (next === null || waiting[0].start <= next.head.logTime)) {
          const rest = waiting.shift()?.file.messages(from, wants);
          const head = await rest?.next();
          if (rest !== undefined && head !== undefined && !head.done) open.push({ head: head.value, rest });
          next = earliest(open);
        }
        if (next === null) return;
        yield next.head;
        const following = await next.rest.next();
        if (following.done) open.splice(open.indexOf(next), 1);
        else next.head = following.value;
      }
    } finally {
      for (const { rest } of open) await rest.return(undefined);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of this.files) await file.close();
  }
}

function earliest<T extends { readonly head: FileMessage }>(open: readonly T[]): T | null {
  let found: T | null = null;
  for (const each of open) if (found === null || each.head.logTime < found.head.logTime) found = each;
  return found;
}
