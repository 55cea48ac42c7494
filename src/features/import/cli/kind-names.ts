/** Values of `mgr import --from`. */
export const KIND_NAMES = ["process-compose", "compose", "supervisord", "pm2", "procfile", "systemd"] as const;
export type KindName = (typeof KIND_NAMES)[number];
