import { described, listOf, section } from "../../config/schema/schema-kinds.ts";
import { choice, diskSize, flag, integer, path, positiveDuration, recordingSize, text } from "../../config/schema/schema-values.ts";
import { RECORDED_BESIDE } from "./contract.ts";

const MAX_PATTERN_CHARS = 1_024;
const pattern = text("a name or pattern of at most 1024 characters", (value) =>
  value.length <= MAX_PATTERN_CHARS ? null : `has more than ${MAX_PATTERN_CHARS} characters`,
);

/** What is recorded to disk (docs/recordings.md). */
export const recordSection = section({
  autostart: described(
    "Record while the manager runs. Default true; false: these are only the defaults of recordings that are started.",
    flag,
  ),
  topics: described("Names and patterns of the topics to record. Default: all.", listOf("patterns", pattern)),
  terminals: described("Names and patterns of processes whose output is recorded as lines. Default: none.", listOf("patterns", pattern)),
  include: described(
    "What is recorded beside topics: processes (changes of their state), log (the manager's), services (calls by the manager), parameters (overrides). Default: none.",
    listOf("kinds", choice(...RECORDED_BESIDE)),
  ),
  path: described(
    "Folder for the files on each host; a relative one is below the folder of this file, on other hosts below that of the daemon. Default: the state folder.",
    path("the path of a folder"),
  ),
  max_size: described("Size at which another file begins. Default 1GiB.", recordingSize),
  max_duration: described("Time after which another file begins. Default: no limit.", positiveDuration),
  max_files: described("Files of one recording that are kept on each host; the oldest is removed. Default 10.", integer(1, 500)),
  min_free_space: described("With less free space the disk counts as full. Default 1GiB.", diskSize),
  on_full: described(
    "On a full disk: stop recording (the default), or delete_oldest: remove the oldest files of the recording.",
    choice("stop", "delete_oldest"),
  ),
});
