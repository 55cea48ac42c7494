import { MgrError } from "../../../base/errors.ts";

/** An error that a service returns: throw it in a handler to choose the code; `call` rejects with it. */
export class ServiceError extends MgrError {
  /** `Nats-Service-Error-Code`: 400 for a request that is not accepted, 500 for a failure, or the service's own. */
  readonly serviceCode: number;

  constructor(serviceCode: number, message: string, options: { cause?: unknown } = {}) {
    super(serviceCode === 400 ? "bad_field" : "conflict", message, { ...options, details: { service_code: serviceCode } });
    this.serviceCode = serviceCode;
  }
}
