import type { Client, Service, Topic } from "../protocol/resources/resources.ts";

/** Programs on the bus, and what they publish and provide. Reading: always the state of this turn. */
export interface DataPlane {
  clients(): Client[];
  topics(): Topic[];
  services(): Service[];
}
