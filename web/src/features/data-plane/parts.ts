import type { ComponentType } from "preact";

/** Sections of other features in the panel of a topic. `topic`: its name. */
export const topicParts: ComponentType<{ topic: string }>[] = [];

/** Adds a section to the panel of a topic; features call it when they start. */
export function addTopicPart(part: ComponentType<{ topic: string }>): void {
  topicParts.push(part);
}
