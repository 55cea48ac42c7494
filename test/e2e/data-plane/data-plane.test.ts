import { dataPlaneSuite } from "./suite.ts";

dataPlaneSuite("the manager");
