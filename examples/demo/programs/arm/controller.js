// Moves the simulated arm: reads arm/joint_states, publishes arm/torque, and offers the service arm/move_to. Without requests it moves from pose to pose.
import { connectClient, ServiceError } from "mgr/client";
import { JOINT_STATE, JOINTS } from "./joint-state.js";

const LIMIT = Math.PI;
const POSES = [
  [-1.2, 1.0],
  [0.4, -0.9],
  [-2.2, 1.6],
  [-0.6, -1.4],
];
const IDLE_MS = 2_000;

const client = await connectClient({ name: "arm/controller" });
const torques = await client.publisher("arm/torque", {
  title: "demo.ArmTorque",
  type: "object",
  properties: { torque: { type: "array", items: { type: "number" } }, error: { type: "array", items: { type: "number" } } },
});
const gain = (value, unit, max, description) => ({ type: "float", value, unit, min: 0, max, description });
const { stiffness, damping, gravity, speed, wander } = client.parameters({
  stiffness: gain(120, "Nm/rad", 400, "Proportional gain of both joints"),
  damping: gain(14, "Nms/rad", 60, "Derivative gain of both joints"),
  gravity: gain(1, "", 2, "Part of the arm's weight that is compensated"),
  speed: { type: "float", value: 1.2, unit: "rad/s", min: 0.1, max: 5, description: "Mean speed of a movement" },
  wander: { type: "bool", value: true, description: "Moves from pose to pose while there are no requests" },
});

/** The movement that is under way: from, to, start and length in milliseconds. */
let move = null;
let position = null;
let idleSince = performance.now();
let turn = 0;
let arrived = () => {};

function begin(to, seconds) {
  const distance = Math.max(...to.map((angle, joint) => Math.abs(angle - position[joint])));
  const length = 1000 * (seconds ?? Math.max(0.3, distance / speed.value));
  // A movement that is replaced ends where it is.
  arrived();
  move = { from: wanted().position, to, at: performance.now(), length };
  return length / 1000;
}

/** Position and speed of now: a quintic, without jerk at its ends. */
function wanted() {
  if (!move) return { position, velocity: [0, 0] };
  const time = Math.min(1, (performance.now() - move.at) / move.length);
  const share = time ** 3 * (10 - 15 * time + 6 * time ** 2);
  const rate = (30 * time ** 2 * (1 - time) ** 2 * 1000) / move.length;
  return {
    position: move.from.map((from, joint) => from + share * (move.to[joint] - from)),
    velocity: move.from.map((from, joint) => rate * (move.to[joint] - from)),
  };
}

/** Answers a message of arm/joint_states with torques. */
function control(message) {
  const state = message.value;
  position ??= state.position;
  const goal = wanted();
  const [angle1, angle2] = state.position;
  const weight2 = 3 * 9.81 * 0.35 * Math.cos(angle1 + angle2);
  const weight = [6 * 9.81 * 0.4 * Math.cos(angle1) + weight2, weight2];
  const error = JOINTS.map((_, joint) => goal.position[joint] - state.position[joint]);
  const torque = JOINTS.map(
    (_, joint) =>
      stiffness.value * error[joint] + damping.value * (goal.velocity[joint] - state.velocity[joint]) + gravity.value * weight[joint],
  );
  torques.publish({ torque, error }, { cause: message });
  if (move && performance.now() - move.at > move.length) {
    position = move.to;
    move = null;
    idleSince = performance.now();
    arrived();
  }
  if (!move && wander.value && performance.now() - idleSince > IDLE_MS) begin(POSES[turn++ % POSES.length]);
}

client.subscribe("arm/joint_states", { definition: JOINT_STATE, onMessage: (message) => message.problem === null && control(message) });

const number = { type: "number" };
client.provide(
  "arm/move_to",
  {
    name: "demo.MoveTo",
    endpoints: {
      call: {
        description: "Moves both joints, and answers when they are there",
        request: {
          type: "object",
          properties: {
            position: {
              type: "array",
              items: { ...number, minimum: -LIMIT, maximum: LIMIT },
              minItems: 2,
              maxItems: 2,
              description: "rad",
            },
            seconds: { ...number, minimum: 0.1, maximum: 60, description: "Left out: as fast as the parameter `speed` says" },
          },
          required: ["position"],
        },
        response: { type: "object", properties: { seconds: number } },
      },
    },
  },
  ({ position: to, seconds }) => {
    if (!Array.isArray(to) || to.length !== 2 || !to.every((angle) => Math.abs(angle) <= LIMIT))
      throw new ServiceError(400, `position must be two angles from ${-LIMIT} to ${LIMIT} rad`);
    if (seconds !== undefined && !(seconds >= 0.1 && seconds <= 60)) throw new ServiceError(400, "seconds must be 0.1 to 60");
    if (!position) throw new ServiceError(503, "the arm has not told its position yet; start arm/simulation");
    const length = begin(to, seconds);
    console.log(`moving to ${to.map((angle) => angle.toFixed(2)).join(" ")} rad in ${length.toFixed(1)} s`);
    return new Promise((resolve) => {
      arrived = () => {
        arrived = () => {};
        resolve({ seconds: length });
      };
    });
  },
);
console.log("the controller is ready");
