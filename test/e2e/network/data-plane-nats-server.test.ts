import { dataPlaneSuite } from "./data-plane-suite.ts";

dataPlaneSuite("nats-server");
