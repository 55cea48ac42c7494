import { storeForwardExtension } from "../../../src/features/store-forward/manager/index.ts";

/** No topic is kept. */
export class FakeStoreForward {
  readonly extension = storeForwardExtension(async () => ({ is_named: false, topics: [], other_topics: 0, away: [] }));
}
