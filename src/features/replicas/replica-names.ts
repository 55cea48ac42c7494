/** Maximum number of replicas of one process: what one row of the page can show, and far more than one machine needs. */
export const MAX_REPLICAS = 100;

/** The name of a replica, whose index begins at 1: a member of the group that has the name of the process. */
export const replicaName = (process: string, index: number): string => `${process}/${index}`;
