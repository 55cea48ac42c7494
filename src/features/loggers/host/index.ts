import { MgrError } from "../../../base/errors.ts";
import type { HostFeature } from "../../../daemon/host-feature.ts";
import { dataPlaneHost } from "../../data-plane/host/index.ts";
import type { LOGGER_REQUESTS } from "../contract.ts";
import { LoggerRings } from "./logger-rings.ts";

/** Keeps the newest samples of topics. */
export const loggersHost: HostFeature<keyof typeof LOGGER_REQUESTS> = {
  name: "loggers",
  begin({ bus, lists, log, taken, use }) {
    const tap = use(dataPlaneHost);
    const rings = bus && tap && new LoggerRings({ tap, memory: bus.broker.memory, warn: (msg) => log("warning", msg), taken });
    const own = () => {
      if (rings === null) throw new MgrError("conflict", "this host has no broker, and so no loggers");
      return rings;
    };
    return {
      service: null,
      handlers: {
        logger_set: (request) => own().set(request),
        logger_delete: (request) => own().delete(request),
        logger_reports: () => {
          const reports = rings?.reports();
          return { loggers: reports?.loggers ?? [], ...lists.pages.of(reports?.rings ?? []) };
        },
        logger_ring: (request) => own().ring(request),
        logger_read: (request) => own().read(request),
      },
      close: () => rings?.close(),
      ...(rings === null ? {} : { handOver: () => rings.handOver() }),
    };
  },
};
