import { MgrError } from "../../../src/base/errors.ts";
import type { DataPlane, TopicSample } from "../../../src/features/data-plane/manager/data-plane.ts";
import { dataPlaneExtension } from "../../../src/features/data-plane/manager/index.ts";
import type { Service } from "../../../src/features/data-plane/wire/service.ts";
import type { Topic } from "../../../src/features/data-plane/wire/topic.ts";
import type { Client } from "../../../src/protocol/resources/resources.ts";

/** Clients, topics and services as the test sets them; requests are recorded in `calls` and find nothing. */
export class FakeDataPlane implements DataPlane {
  readonly extension = dataPlaneExtension(this);
  readonly all = { clients: [] as Client[], topics: [] as Topic[], services: [] as Service[] };
  readonly calls: [string, ...unknown[]][] = [];
  /** Viewers of topics, by name. */
  readonly viewers = new Map<string, Set<(sample: TopicSample) => void>>();

  clients(): Client[] {
    return this.all.clients;
  }

  topics(): Topic[] {
    return this.all.topics;
  }

  services(): Service[] {
    return this.all.services;
  }

  async topicsStat(seconds: number) {
    this.calls.push(["topicsStat", seconds]);
    return { sample_seconds: seconds, topics: [] };
  }

  topicDetail(name: string) {
    return this.#nothing("topicDetail", name);
  }

  publishTopic(...args: unknown[]) {
    return this.#nothing("publishTopic", ...args);
  }

  callService(...args: unknown[]) {
    return this.#nothing("callService", ...args);
  }

  async parameters(pattern: string) {
    this.calls.push(["parameters", pattern]);
    return { parameters: [], errors: [] };
  }

  setOverride(...args: unknown[]) {
    return this.#nothing("setOverride", ...args);
  }

  openScope(...args: unknown[]) {
    return this.#nothing("openScope", ...args);
  }

  followTopic(name: string, maxRate: number, receive: (sample: TopicSample) => void, fields?: readonly string[]): () => void {
    this.calls.push(["followTopic", name, maxRate, ...(fields ? [fields] : [])]);
    const viewers = this.viewers.get(name) ?? new Set();
    this.viewers.set(name, viewers.add(receive));
    return () => viewers.delete(receive);
  }

  #nothing(...call: [string, ...unknown[]]): Promise<never> {
    this.calls.push(call);
    return Promise.reject(new MgrError("not_found", "there is nothing of this name"));
  }
}
