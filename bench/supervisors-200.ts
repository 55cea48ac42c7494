// 200 processes beside supervisord, s6, pm2 and bare terminals: seconds until all run, until one of them is restarted, until one that
// is killed has a new pid, and until all have stopped. Median and spread of five runs. `npx tsx bench/supervisors-200.ts`;
// MGR_BENCH_RUNS, MGR_BENCH_COUNT, MGR_BENCH_SINGLES and MGR_BENCH_PEERS (such as "s6,ours") make it shorter.
import { besidePeers } from "./peers/beside-peers.ts";

await besidePeers("supervisors-200", ["bare terminals", "supervisord", "s6", "pm2", "ours"], {
  count: Number(process.env.MGR_BENCH_COUNT ?? 200),
  singles: Number(process.env.MGR_BENCH_SINGLES ?? 20),
  idleS: 0,
});
