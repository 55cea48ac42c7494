import type { z } from "zod";
import type { ConfigFeature } from "../../config/config-feature.ts";
import { defaulted, listOf, orNull, section } from "../../config/schema/schema-kinds.ts";
import { choice, diskSize, flag, integer, path, positiveDuration, recordingSize, text } from "../../config/schema/schema-values.ts";
import { MAX_RECORDING_FILES } from "./contract.ts";
import { RECORDED_BESIDE } from "./recorded-beside.ts";

const MAX_PATTERN_CHARS = 1_024;
const pattern = text("a name or pattern of at most 1024 characters", (value) =>
  value.length <= MAX_PATTERN_CHARS ? null : `has more than ${MAX_PATTERN_CHARS} characters`,
);

/** Settings of recordings (docs/recordings.md). */
const record = section({
  autostart: defaulted(
    "Record while the manager runs. Default {}; false: these are only the defaults of recordings that are started.",
    flag,
    true,
  ),
  topics: defaulted("Names and patterns of the topics to record. Default: all.", listOf("patterns", pattern), ["*"]),
  terminals: defaulted(
    "Names and patterns of processes whose output is recorded as lines. Default: none.",
    listOf("patterns", pattern),
    [],
  ),
  include: defaulted(
    "What is recorded beside topics: processes (changes of their state), log (the manager's), services (calls by the manager), parameters (overrides). Default: none.",
    listOf("kinds", choice(...RECORDED_BESIDE)),
    [],
  ),
  path: orNull(
    "Folder for the files on each host; a relative one is below the folder of this file, on other hosts below that of the daemon. Default: the state folder.",
    path("the path of a folder"),
  ),
  max_size: defaulted("Size at which another file begins. Default {}.", recordingSize, "1GiB"),
  max_duration: orNull("Time after which another file begins. Default: no limit.", positiveDuration),
  max_files: defaulted(
    "Files of one recording that are kept on each host; the oldest is removed. Default {}.",
    integer(1, MAX_RECORDING_FILES),
    10,
  ),
  min_free_space: defaulted("With less free space the disk counts as full. Default {}.", diskSize, "1GiB"),
  on_full: defaulted(
    "On a full disk: stop recording (the default), or delete_oldest: remove the oldest files of the recording.",
    choice("stop", "delete_oldest"),
    "stop",
  ),
});
export type RecordSettings = Readonly<z.output<typeof record>>;

export const recordingsConfig = {
  file: {
    // Without the section, no recording starts by itself.
    record: defaulted("Topics that are recorded to disk, and where recording stops.", record, { autostart: false }),
  },
} satisfies ConfigFeature;
