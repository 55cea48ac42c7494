import type { Control } from "../../actors/control.ts";
import type { LoginOffer } from "../auth/login-offer.ts";
import type { LoginTokens } from "../auth/login-tokens.ts";
import type { FeatureExtension, HttpServices } from "../extension.ts";
import type { BuiltAssets } from "../files/built-assets.ts";
import type { HttpLog } from "../log/http-log.ts";
import type { Metrics } from "../metrics.ts";
import type { Route } from "../route.ts";
import type { BusUpgrade } from "../server/bus-upgrade.ts";
import type { Followers } from "../server/open-connections.ts";
import { assetRoutes, pageRoutes } from "./assets.ts";
import { logRoute } from "./log.ts";
import { loginTokenRoute } from "./login-token.ts";
import { logoutRoute } from "./logout.ts";
import { namesRoute } from "./names.ts";
import { saveAllRoute } from "./save-all.ts";
import { busRoute, healthRoute, metricsRoute, schemaRoute, websocketHintRoute } from "./status.ts";

export interface RouteParts {
  readonly control: Control;
  readonly connect: HttpServices["connect"];
  readonly extensions: readonly FeatureExtension[];
  readonly assets: BuiltAssets;
  readonly configFiles: () => readonly string[];
  readonly followers: Followers;
  readonly metrics: Metrics;
  readonly bus: BusUpgrade | null;
  readonly logins: { readonly tokens: LoginTokens; offers(): readonly LoginOffer[]; endLoginSession(id: string): void };
  readonly isHttpsOnly: boolean;
  readonly log: HttpLog;
}

/** All routes of the port, those of features included. */
export function allRoutes(parts: RouteParts): Route[] {
  const { control, connect, extensions, assets, configFiles, followers, metrics, bus, logins, isHttpsOnly, log } = parts;
  const assetHash = assets.hash;
  const brokers = async () => (await Promise.all(extensions.map(({ http }) => http?.brokers?.() ?? []))).flat();
  return [
    ...pageRoutes(assets, () => logins.offers()),
    ...assetRoutes(assets),
    websocketHintRoute,
    logRoute(control.log, followers),
    saveAllRoute({ source: { control, extensions, assetHash, configFiles }, followers, log }),
    ...extensions.flatMap(({ http }) => http?.routes?.({ control, connect, followers, assetHash, log }) ?? []),
    metricsRoute(metrics),
    namesRoute(control.state, extensions),
    ...(bus === null ? [] : [busRoute(bus, brokers)]),
    schemaRoute(),
    healthRoute(control.state),
    logoutRoute((id) => logins.endLoginSession(id), isHttpsOnly),
    loginTokenRoute(logins.tokens),
  ];
}
