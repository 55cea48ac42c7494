import { MgrError } from "../../../../base/errors.ts";
import type { ManagerClient } from "../../../../client/manager-client.ts";
import { fullName } from "../../parameter-name.ts";
import type { Parameter } from "../../wire/parameter.ts";

/** Sets each override to its value; null clears the override and keeps its value for later. Tries all, then rejects if one has failed. */
export async function overrideAll(
  client: ManagerClient,
  changes: readonly { readonly parameter: Parameter; readonly value: string | null }[],
): Promise<void> {
  const results = await Promise.allSettled(
    changes.map(({ parameter, value }) =>
      client
        .request({
          type: "set_parameter_override",
          service: parameter.service,
          provider_id: parameter.provider_id,
          parameter: parameter.name,
          enabled: value !== null,
          value: value ?? parameter.override_value,
        })
        .catch((error: unknown) => {
          throw error instanceof MgrError ? new MgrError(error.code, `${fullName(parameter)}: ${error.message}`, { cause: error }) : error;
        }),
    ),
  );
  const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
  const [first] = failures;
  if (first === undefined) return;
  if (failures.length === 1 || !(first instanceof MgrError)) throw first;
  const others = failures.slice(1).map((failure) => (failure instanceof Error ? failure.message : String(failure)));
  throw new MgrError(first.code, [first.message, ...others].join("\n"), { cause: first });
}
