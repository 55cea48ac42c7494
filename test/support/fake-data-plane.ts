import type { DataPlane } from "../../src/actors/data-plane.ts";
import type { Client, Service, Topic } from "../../src/protocol/resources/resources.ts";

/** Clients, topics and services as the test sets them. */
export class FakeDataPlane implements DataPlane {
  readonly all = { clients: [] as Client[], topics: [] as Topic[], services: [] as Service[] };

  clients(): Client[] {
    return this.all.clients;
  }

  topics(): Topic[] {
    return this.all.topics;
  }

  services(): Service[] {
    return this.all.services;
  }
}
