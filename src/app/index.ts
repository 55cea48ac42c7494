/** `mgr`: a manager within this program, and everything that its types refer to. */
export type { ActorKind, ActorKinds } from "../actors/system.ts";
export type { Clock } from "../base/timing/clock.ts";
export * from "../client/common.ts";
export { ConfigError } from "../config/schema/problems.ts";
export type { ConfigInput } from "../config/schema/schema.ts";
export type { HostLink } from "../contract/host-link.ts";
export { type CreateOptions, createManager } from "./embedded/create-manager.ts";
export type { EmbeddedManager, OpenPort } from "./embedded/embedded-manager.ts";
