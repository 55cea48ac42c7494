import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Counter, Gauge } from "prom-client";
import type { WebSocket } from "ws";
import type { Control } from "../actors/control.ts";
import type { Principal } from "../base/access/principal.ts";
import type { TrafficLabel } from "../bus/carriers/peer-traffic.ts";
import type { ExtendsTransport } from "../transport/extension.ts";
import type { Transport } from "../transport/websocket.ts";
import type { ArchivePart } from "./archive/archive-part.ts";
import type { LoginHost, LoginSource } from "./auth/accounts.ts";
import type { HttpLog } from "./log/http-log.ts";
import type { Refusal } from "./request/refusal.ts";
import type { RemoteEnd } from "./request/remote-end.ts";
import type { Route, RouteNeeds } from "./route.ts";
import type { Followers } from "./server/open-connections.ts";

/** Additions of a feature to connections and to the port. */
export interface FeatureExtension extends ExtendsTransport {
  readonly http?: HttpExtension;
}

/** Additions of a feature to the one port. */
export interface HttpExtension {
  readonly routes?: (services: HttpServices) => readonly Route[];
  readonly sockets?: readonly SocketRoute[];
  readonly site?: Site;
  /** Users who log in by other means than a password of the auth file. */
  readonly logins?: (host: LoginHost) => LoginSource;
  readonly metrics?: MetricsPart;
  /** Objects that commands name, by kind, such as `topic`. */
  readonly names?: NameSources;
  /** Files of the archive of `/save-all`, created one by one while it is written. No part contains a secret of the manager. */
  readonly archiveParts?: () => AsyncIterable<ArchivePart>;
  /** The brokers of hosts, for the report on the bus. */
  readonly brokers?: () => Promise<readonly object[]>;
}

/** The parts of the server that routes use. */
export interface HttpServices {
  /** The part of the manager that routes may use. */
  readonly control: Control;
  /** A connection for the frames of a user, within the manager. */
  readonly connect: Transport["connect"];
  /** Ends long answers when a login ends. */
  readonly followers: Followers;
  /** Content hash of the page's files. */
  readonly assetHash: string;
  readonly log: HttpLog;
}

/** Serves host names of its own, on which nothing of the manager is served. */
export interface Site {
  /** Whether it serves requests with this Host header, which other pages may have chosen. */
  readonly serves: (host: string) => boolean;
  /** `response` is that of a refused upgrade, too. Never throws. */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse, remote: RemoteEnd) => void;
  /** An upgrade to `websocket`. Never throws. */
  readonly onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer, remote: RemoteEnd) => void;
}

/** Lists the objects of a kind, for completion in shells. */
export type NameSources = Readonly<Record<string, () => Iterable<NamedObject> | Promise<Iterable<NamedObject>>>>;

export interface NamedObject {
  readonly name: string;
  /** Shown beside the name, such as the state of a process; absent: nothing. */
  readonly about?: string;
}

/** Metrics of a feature. */
export interface MetricsPart {
  readonly define: (writer: MetricsWriter) => void;
  /** Collects the values of the metrics; awaited before each text. Never rejects. */
  readonly collect?: () => Promise<void>;
}

/** Defines metrics. `fill` is called for each text. */
export interface MetricsWriter {
  gauge(name: string, help: string, labelNames: string[], fill: (gauge: Gauge) => void): void;
  /** A counter whose total is kept elsewhere. */
  total(name: string, help: string, labelNames: string[], fill: (counter: Counter) => void): void;
}

/** A WebSocket of a feature. Access was checked before `open` is called. */
export interface SocketRoute {
  readonly path: string;
  /** Maximum size of a frame, bytes. */
  readonly maxFrameBytes: number;
  /** Whether pages of `instance.allowed_origins` may use it. */
  readonly isShared: boolean;
  /** The permission that opening it needs (docs/access.md); null: a login is enough. */
  readonly needs: RouteNeeds | null;
  /** Whether opening it has an effect, so that it needs proof that the manager's page or a script requested it. */
  readonly hasEffects: boolean;
  /** Whether its query may hold an access token for URLs. */
  readonly takesUrlToken?: true;
  /** Subprotocols, the best first; omitted: the first one that the client offers is accepted. */
  readonly subprotocols?: readonly string[];
  readonly open: (request: SocketRequest) => Promise<Refusal | OpenSocket>;
}

export interface SocketRequest {
  readonly principal: Principal;
  readonly query: URLSearchParams;
  /** The client's connection: it may close before the WebSocket is open. */
  readonly socket: Duplex;
  /** A connection for the frames of a user, within the manager. */
  readonly connect: Transport["connect"];
}

export interface OpenSocket {
  /** Label of the traffic that the connection carries. */
  readonly label: TrafficLabel;
  readonly serve: (ws: WebSocket) => void;
}
