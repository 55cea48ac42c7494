/** Requests of agents that are being answered at the same time, of one user and of all: a tool that starts a process waits for it. */
export const MAX_REQUESTS_OF_USER = 8;
export const MAX_REQUESTS = 64;
