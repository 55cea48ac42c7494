import { ROLES } from "../../base/access/access.ts";
import { messageOf } from "../../base/errors.ts";
import { compileFnmatch, MAX_FNMATCH_LENGTH } from "../../base/patterns/fnmatch.ts";
import { defaulted, leaf, listOf, listOr, namedMap, orNull, Refusal, section } from "./schema-kinds.ts";
import { choice, flag, text } from "./schema-values.ts";

/** Who may do what (docs/access.md). A reload changes it for open connections, too. */

const role = choice(...ROLES);

const pattern = leaf<string, string>(
  `a pattern of names of processes such as 'sim/*', of at most ${MAX_FNMATCH_LENGTH} characters`,
  { type: "string", minLength: 1, maxLength: MAX_FNMATCH_LENGTH },
  (value) => {
    if (typeof value !== "string" || value === "") return undefined;
    try {
      compileFnmatch(value);
      return value;
    } catch (error) {
      return new Refusal(messageOf(error));
    }
  },
);

const grant = section(
  {
    role: role.meta({ description: "viewer, operator or admin." }),
    on: listOr(
      listOf("patterns", pattern, { minItems: 1 }),
      pattern.transform((one): readonly string[] => [one]),
    )
      .meta({
        description: "Patterns of the names of processes ('*' also matches '/'). Default: everything, also what belongs to no process.",
      })
      .exactOptional(),
    may_download: defaulted("Whether a viewer may also download output and samples; operators may. Default {}.", flag, false),
  },
  {
    check: (values, report) => {
      const on = values.get("on");
      if (Array.isArray(on) && on.length === 0)
        report({ path: ["on"], message: "is empty: name at least one pattern, or omit it for everything" });
    },
  },
);

/** One role on everything, or several on patterns. */
export const grantList = listOr(
  listOf("grants, each with role, on and may_download", grant),
  role.transform((one) => [{ role: one, may_download: false }]),
);

export const accessSection = section({
  default: defaulted(
    "Role of users of the web interface whom 'users' does not name: admin (the default), operator, viewer or none.",
    choice("none", ...ROLES),
    "admin",
  ),
  users: defaulted(
    "Roles by user: one role on everything, or a list of roles on patterns. A user who is named has these roles only.",
    namedMap("a mapping from users to a role or a list of roles", grantList, userProblem),
    {},
  ),
  terminals: defaulted(
    "Role from which on a user may type into terminals: admin (the default) or operator. What is typed runs with the rights of the process.",
    choice("operator", "admin"),
    "admin",
  ),
  local_operators: orNull(
    "Group of this system whose members are operators on a socket of their own, which the log names. Default: none.",
    text("the name of a group", groupProblem),
  ),
});

function groupProblem(name: string): string | null {
  return /^[^\s:,/]{1,64}$/.test(name) ? null : `must be the name of a group of this system, found '${name}'`;
}

function userProblem(name: string): string | null {
  return name === "" || name.includes(":") ? `'${name}' cannot be the name of a web user: it is empty or has a ':'` : null;
}
