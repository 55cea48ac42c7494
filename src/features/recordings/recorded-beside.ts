/**
 * Sources of recordings besides topics: state changes of the host's processes, the manager's log, its calls of services, and the overrides of
 * parameters that it sets.
 */
export const RECORDED_BESIDE = ["processes", "log", "services", "parameters"] as const;
