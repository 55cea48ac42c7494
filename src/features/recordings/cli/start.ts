import { quoteWords } from "../../../base/text/shell-words.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import type { FrameOf } from "../../../protocol/frames/frames.ts";
import { startedText } from "./tables.ts";

type Request = FrameOf<"start_recording">;

export interface StartFlags extends ConnectionFlags {
  terminal?: string[];
  include?: NonNullable<Request["include"]>;
  maxSize?: number;
  /** Duration in milliseconds. */
  maxDuration?: number;
  maxFiles?: number;
  minFreeSpace?: number;
  deleteOldest?: boolean;
}

/** `mgr record start NAME [TOPIC…]`: records topics to disk. */
export async function recordStart(name: string, topics: string[], flags: StartFlags): Promise<void> {
  if (/[*?[]/.test(name))
    throw new CommandFailure(
      EXIT.usage,
      `'${name}' is a pattern, but the first argument is the name of the recording. Use: mgr record start NAME ${quoteWords([name, ...topics])}`,
    );
  await withManager(flags, async (client) => {
    await client.request(requestOf(name, topics, flags));
    process.stdout.write(`${startedText(name)}\n`);
  });
}

/** Omits what is not given, so that the configuration applies. */
function requestOf(name: string, topics: string[], flags: StartFlags): Request {
  const { terminal, include, maxSize, maxDuration, maxFiles, minFreeSpace, deleteOldest } = flags;
  return {
    type: "start_recording",
    name,
    ...(topics.length === 0 ? {} : { topics }),
    ...(terminal === undefined ? {} : { terminals: terminal }),
    ...(include === undefined ? {} : { include }),
    ...(maxSize === undefined ? {} : { max_size: maxSize }),
    ...(maxDuration === undefined ? {} : { max_duration: Math.max(1, Math.round(maxDuration / 1_000)) }),
    ...(maxFiles === undefined ? {} : { max_files: maxFiles }),
    ...(minFreeSpace === undefined ? {} : { min_free_space: minFreeSpace }),
    ...(deleteOldest === undefined ? {} : { delete_oldest: deleteOldest }),
  };
}
