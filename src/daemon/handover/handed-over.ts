export type { HandedOver } from "../../base/handed-over.ts";
