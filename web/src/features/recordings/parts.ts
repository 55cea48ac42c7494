import type { ComponentType } from "preact";
import type { Recording } from "../../../../src/features/recordings/wire.ts";

/** Sections of other features in the panel of a recording. */
export const recordingParts: ComponentType<{ recording: Recording }>[] = [];

/** Adds a section to the panel of a recording; features call it when they start. */
export function addRecordingPart(part: ComponentType<{ recording: Recording }>): void {
  recordingParts.push(part);
}
