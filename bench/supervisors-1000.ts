// 1,000 processes beside supervisord, s6 and bare terminals: seconds until all run and processor time of that, share of a core while
// nothing happens, resident memory, milliseconds for the status of all, seconds until all have stopped. Median and spread of five runs.
// pm2 takes minutes and gigabytes for 1,000, so it is measured with 200 only. `npx tsx bench/supervisors-1000.ts`; MGR_BENCH_RUNS,
// MGR_BENCH_COUNT, MGR_BENCH_IDLE_S and MGR_BENCH_PEERS (such as "s6,ours") make it shorter.
import { besidePeers } from "./peers/beside-peers.ts";

await besidePeers("supervisors-1000", ["bare terminals", "supervisord", "s6", "ours"], {
  count: Number(process.env.MGR_BENCH_COUNT ?? 1_000),
  singles: 0,
  idleS: Number(process.env.MGR_BENCH_IDLE_S ?? 10),
});
