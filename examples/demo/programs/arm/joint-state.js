// The ROS 2 message that simulation and controller exchange.
const SEPARATOR = "=".repeat(80);
export const JOINT_STATE_NAME = "sensor_msgs/msg/JointState";
export const JOINT_STATE = `std_msgs/Header header
string[] name
float64[] position  # rad
float64[] velocity  # rad/s
float64[] effort    # Nm
${SEPARATOR}
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
${SEPARATOR}
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
`;
export const JOINTS = ["shoulder", "elbow"];

/** A message with the time of now. */
export function jointState(position, velocity, effort) {
  const now = Date.now();
  const stamp = { sec: Math.floor(now / 1000), nanosec: (now % 1000) * 1e6 };
  return { header: { stamp, frame_id: "base" }, name: JOINTS, position, velocity, effort };
}

/** Calls `step` `hertz` times a second on average, also if timers are late; at most 20 steps at once. */
export function atRate(hertz, step) {
  const interval = 1000 / hertz;
  let next = performance.now();
  setInterval(() => {
    const now = performance.now();
    if (now - next > 20 * interval) next = now - 20 * interval;
    for (; next <= now; next += interval) step(interval / 1000);
  }, interval);
}
