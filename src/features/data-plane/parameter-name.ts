import { compileFnmatch } from "../../base/patterns/fnmatch.ts";

interface Named {
  readonly service: string;
  readonly name: string;
}

/** Full name of a parameter, unique unless two providers have the same service. */
export const fullName = ({ service, name }: Named): string => `${service}:${name}`;

/** Whether a parameter's name, or its full name, matches an fnmatch pattern. */
export function parameterMatcher(pattern: string): (parameter: Named) => boolean {
  const matches = compileFnmatch(pattern);
  return (parameter) => matches(parameter.name) || matches(fullName(parameter));
}
