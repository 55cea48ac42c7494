// Simulates an arm with two joints: takes torques from the topic arm/torque and publishes arm/joint_states.
import { connectClient } from "mgr/client";
import { atRate, JOINT_STATE, JOINT_STATE_NAME, jointState } from "./joint-state.js";

const HERTZ = 200;
/** Largest torque of each motor, Nm. */
const MAX_TORQUE = [60, 25];
/** Without a controller for this long the motors are off, milliseconds. */
const SILENCE_MS = 200;

const client = await connectClient({ name: "arm/simulation" });
const states = await client.publisher("arm/joint_states", JOINT_STATE, { definitionName: JOINT_STATE_NAME, keepLast: true });
const { load, friction, noise } = client.parameters({
  load: { type: "float", value: 1, unit: "kg", min: 0, max: 5, description: "Mass in the gripper" },
  friction: { type: "float", value: 0.8, unit: "Nms/rad", min: 0, max: 10, description: "Viscous friction of both joints" },
  noise: { type: "float", value: 0.002, unit: "rad/s", min: 0, max: 1, description: "Noise of the measured speed" },
});

let torque = [0, 0];
let heardAt = 0;
client.subscribe("arm/torque", {
  onMessage: ({ value }) => {
    if (!Array.isArray(value?.torque)) return;
    torque = value.torque.map((each, joint) => Math.max(-MAX_TORQUE[joint], Math.min(MAX_TORQUE[joint], Number(each) || 0)));
    heardAt = performance.now();
  },
});

const GRAVITY = 9.81;
/** Masses of the links, kg; lengths, m. */
const [MASS_1, MASS_2, LENGTH_1, LENGTH_2] = [3, 2, 0.4, 0.35];
const position = [-Math.PI / 2, 0];
const velocity = [0, 0];

/** Equations of motion of two point masses, one semi-implicit Euler step. */
function move(seconds, [torque1, torque2]) {
  const tip = MASS_2 + load.value;
  const [angle1, angle2] = position;
  const coupling = tip * LENGTH_1 * LENGTH_2 * Math.cos(angle2);
  const inertia22 = tip * LENGTH_2 ** 2;
  const inertia11 = (MASS_1 + tip) * LENGTH_1 ** 2 + inertia22 + 2 * coupling;
  const inertia12 = inertia22 + coupling;
  const bend = tip * LENGTH_1 * LENGTH_2 * Math.sin(angle2);
  const weight2 = tip * GRAVITY * LENGTH_2 * Math.cos(angle1 + angle2);
  const weight1 = (MASS_1 + tip) * GRAVITY * LENGTH_1 * Math.cos(angle1) + weight2;
  const force1 = torque1 + bend * (2 * velocity[0] * velocity[1] + velocity[1] ** 2) - weight1 - friction.value * velocity[0];
  const force2 = torque2 - bend * velocity[0] ** 2 - weight2 - friction.value * velocity[1];
  const determinant = inertia11 * inertia22 - inertia12 ** 2;
  velocity[0] += ((inertia22 * force1 - inertia12 * force2) / determinant) * seconds;
  velocity[1] += ((inertia11 * force2 - inertia12 * force1) / determinant) * seconds;
  for (const joint of [0, 1]) {
    velocity[joint] = Math.max(-20, Math.min(20, velocity[joint]));
    position[joint] += velocity[joint] * seconds;
  }
}

const SUBSTEPS = 5;
const measured = () => velocity.map((each) => each + (Math.random() - 0.5) * noise.value);
atRate(HERTZ, (seconds) => {
  const applied = performance.now() - heardAt < SILENCE_MS ? torque : [0, 0];
  for (let n = 0; n < SUBSTEPS; n++) move(seconds / SUBSTEPS, applied);
  states.publish(jointState([...position], measured(), applied));
});

console.log(`the arm is simulated at ${HERTZ} Hz`);
setInterval(() => {
  const { sent, received, missed } = client.counters;
  console.log(`position ${position.map((angle) => angle.toFixed(3)).join(" ")} rad, sent ${sent}, received ${received}, missed ${missed}`);
}, 5_000);
