// Prints one line for each second of arm/joint_states, by the times of its messages: a replay of a recording prints the same lines (docs/replay.md).
import { connectClient } from "mgr/client";
import { JOINT_STATE } from "./joint-state.js";

const NS_PER_SECOND = 1_000_000_000n;
const client = await connectClient({ name: "arm/summary" });
/** Number of samples of the present second, sums of their positions, and the greatest speed. */
let present = null;

client.subscribe("arm/joint_states", {
  definition: JOINT_STATE,
  onMessage: ({ value, time, problem }) => {
    if (problem !== null || time === null) return;
    const second = time / NS_PER_SECOND;
    if (present?.second !== second) {
      if (present) print(present);
      present = { second, count: 0, sums: [0, 0], fastest: 0 };
    }
    present.count++;
    present.sums = present.sums.map((sum, joint) => sum + value.position[joint]);
    present.fastest = Math.max(present.fastest, ...value.velocity.map(Math.abs));
  },
});
console.log("summary of the arm, for each second");

function print({ second, count, sums, fastest }) {
  const clock = new Date(Number(second) * 1000).toISOString().slice(11, 19);
  const means = sums.map((sum) => (sum / count).toFixed(6));
  console.log(`${clock} ${count} samples, mean position ${means.join(" ")} rad, fastest ${fastest.toFixed(6)} rad/s`);
}
