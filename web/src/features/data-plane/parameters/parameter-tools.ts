import type { ComponentType } from "preact";

const tools: ComponentType[] = [];

/** Controls beside the filter of the parameters, in the order in which they were added. */
export const parameterTools: readonly ComponentType[] = tools;

/** Adds a control beside the filter of the parameters; features call it when they start. */
export function addParameterTool(Tool: ComponentType): void {
  tools.push(Tool);
}
