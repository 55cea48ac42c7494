/** Whether a user is an access token: a login that was made for a program. */
export const isToken = (user: string): boolean => user.startsWith("token:");
