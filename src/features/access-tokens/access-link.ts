/** Page that logs in with the access token in its fragment. */
export const ENTER_PATH = "/mgr/enter";

/** The link with which a browser logs in. The token is in the fragment, which browsers send neither to the manager nor to other sites. */
export const accessLink = (base: string, secret: string): string => `${new URL(ENTER_PATH, base).href}#${secret}`;
