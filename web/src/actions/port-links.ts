import { type ComponentType, createContext } from "preact";

/** A TCP port on which a process listens. */
export interface ListeningOn {
  /** Canonical name of the host. */
  readonly host: string;
  readonly port: number;
}

/** The links of features beside a port, for the sections of a process. */
export const PortLinks = createContext<ComponentType<ListeningOn>>(() => null);
