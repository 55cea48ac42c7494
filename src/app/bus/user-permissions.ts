import { allowsOwned, type Grant, generalRole, includesRole, type Owners } from "../../base/access/access.ts";
import { TOPIC_PREFIX } from "../../base/topics/topic-subject.ts";
import { type BrokerPermissions, permissionsOf } from "../../bus/broker/permissions.ts";

/** The processes to which subjects of the bus belong. */
export interface SubjectOwners {
  /** Grows whenever an owner changes. */
  readonly version: number;
  /** The processes that publish the topic of this subject. */
  publishersAt(subject: string): Owners;
  /** The processes that answer requests to this subject as services. */
  providersAt(subject: string): Owners;
}

/** Subjects of a manager that does not know to which processes they belong. */
export const NO_OWNERS: SubjectOwners = { version: 0, publishersAt: () => null, providersAt: () => null };

/** Maximum number of subjects of one connection whose permissions are remembered, and their maximum length, characters. */
const MAX_REMEMBERED = 4_096;
const MAX_CHARS = 256;
const INBOX = "_INBOX.";

/** Permissions of a program that acts for a user with all rights. An `@` is added, so that it is not mistaken for a process of the same name. */
export function programOfUser(user: string): BrokerPermissions {
  return permissionsOf({ kind: "client", name: `@${user}` });
}

/**
 * Permissions of a user on the bus (docs/access.md, "The bus"); null: the user has no role. Without the role operator on everything, a user
 * publishes nothing but requests to services of processes on which there is this role; without any role on everything, a user receives nothing but
 * topics of processes on which there is a role, and answers. `owners` returns the present owners of subjects.
 */
export function permissionsOfUser(user: string, grants: readonly Grant[], owners: () => SubjectOwners): BrokerPermissions | null {
  if (grants.length === 0) return null;
  const whole = programOfUser(user);
  const role = generalRole(grants);
  if (includesRole(role, "operator")) return whole;
  const limited: BrokerPermissions = {
    ...whole,
    publish: remembered(owners, (subject) => allowsOwned(grants, "operator", owners().providersAt(subject))),
    // The service that answers may publish anywhere.
    reply: (subject) => subject.startsWith(INBOX),
    mayChange: true,
    // A member of a queue group takes messages from the others.
    subscribe: (subject, queue) => queue === null && (whole.subscribe?.(subject, queue) ?? true),
  };
  if (role !== null) return limited;
  return {
    ...limited,
    subscribe: (subject, queue) => queue === null && mayAsk(subject, whole),
    deliver: remembered(
      owners,
      (subject) => subject.startsWith(TOPIC_PREFIX) && allowsOwned(grants, "viewer", owners().publishersAt(subject)),
    ),
    hidesReplies: true,
  };
}

/** Whether a user without a role on everything may subscribe: to topics, of which only those in view are delivered, and to inboxes. */
function mayAsk(subject: string, whole: BrokerPermissions): boolean | "filtered" {
  if (subject.startsWith(INBOX)) return whole.subscribe?.(subject, null) ?? false;
  const [first] = subject.split(".", 1);
  return (first === ">" || first === "*" || subject.startsWith(TOPIC_PREFIX)) && "filtered";
}

/** Remembers outcomes until an owner changes: a wildcard is examined for each message. */
function remembered(owners: () => SubjectOwners, judge: (subject: string) => boolean): (subject: string) => boolean {
  const outcomes = new Map<string, boolean>();
  let source = owners();
  let version = source.version;
  return (subject) => {
    const now = owners();
    if (now !== source || now.version !== version || outcomes.size >= MAX_REMEMBERED) {
      outcomes.clear();
      source = now;
      version = now.version;
    }
    const known = outcomes.get(subject);
    if (known !== undefined) return known;
    const outcome = judge(subject);
    if (subject.length <= MAX_CHARS) outcomes.set(subject, outcome);
    return outcome;
  };
}
