/** What children inherit without being asked. A trailing `*` is open-ended. */
const ALWAYS = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ"];

/** The variables of `environment` that a process may inherit: the standard ones and those of its pass_environment. */
export function inheritedVariables(environment: NodeJS.ProcessEnv, passed: readonly string[]): Record<string, string> {
  const inherited = new Map<string, string>();
  for (const pattern of [...ALWAYS, ...passed]) {
    const prefix = pattern.endsWith("*") ? pattern.slice(0, -1) : null;
    for (const [name, value] of Object.entries(environment)) {
      if (value !== undefined && (prefix === null ? name === pattern : name.startsWith(prefix))) inherited.set(name, value);
    }
  }
  // Not by assignment: a variable may be called __proto__.
  return Object.fromEntries(inherited);
}
