import { dataPlaneSuite } from "./data-plane-suite.ts";

dataPlaneSuite("the manager");
