import { dataPlaneSuite } from "./suite.ts";

dataPlaneSuite("nats-server");
