import { z } from "zod";
import type { Push, PushedBranch } from "#schema.ts";
import { isBranchName } from "#git/branch-name.ts";
import { addressesOf } from "./canonical-address.ts";

/** What a delivery tells, in whatever way its host says it. */
export type HostEvent = { readonly kind: "ping" } | { readonly kind: "unused" } | PushEvent | RepositoryEvent;

type PushEvent = { readonly kind: "push" } & About;

/** Something about the repository itself; its push has no changes. */
type RepositoryEvent = {
  readonly kind: "repository";
  /** When it was renamed or given to another owner. */
  readonly formerName: string | undefined;
} & About;

type About = {
  readonly push: Push;
  /** The addresses that the host says it can be fetched from, as `addressesOf` writes them. Only compared, never fetched from. */
  readonly addresses: readonly string[];
};

/** A name that the database can hold and a person can read. */
export const nameSchema = z
  .string()
  .min(1)
  .max(400)
  .refine((text) => !/\p{Cc}/u.test(text) && text.isWellFormed());
export const textSchema = z.string().max(1_000);
export const urlSchema = z.string().max(2_000).nullish().catch(null);

/** What a host says of the repository that an event is about. */
type TellingRepository = {
  readonly name: string;
  readonly defaultBranch?: string | null | undefined;
  readonly urls?: readonly (string | null | undefined)[];
};

export const changeOfRefSchema = z.object({
  ref: textSchema,
  before: textSchema.nullish(),
  after: textSchema.nullish(),
  deleted: z.boolean().optional(),
});
type ChangeOfRef = z.infer<typeof changeOfRefSchema>;

/** Branches of one push that are looked at. */
const MAX_CHANGES = 500;

/** A push out of changed refs; those that are no branches are left out. */
export function pushEvent(repository: TellingRepository, changes: readonly ChangeOfRef[]): PushEvent {
  return { kind: "push", ...describe(repository, changes) };
}

export function repositoryEvent(repository: TellingRepository, formerName: string | undefined): RepositoryEvent {
  return { kind: "repository", formerName, ...describe(repository, []) };
}

function describe({ name, defaultBranch, urls = [] }: TellingRepository, changes: readonly ChangeOfRef[]): About {
  const given = urls.filter((url): url is string => typeof url === "string" && url !== "" && !url.includes("\0") && url.isWellFormed());
  return {
    addresses: [...new Set(given.flatMap(addressesOf))],
    push: {
      full_name: name,
      default_branch: typeof defaultBranch === "string" && isBranchName(defaultBranch) ? defaultBranch : null,
      changes: changes.slice(0, MAX_CHANGES).flatMap(toBranch),
    },
  };
}

const HEADS = "refs/heads/";

function toBranch({ ref, before, after, deleted }: ChangeOfRef): readonly PushedBranch[] {
  const branch = ref.slice(HEADS.length);
  if (!ref.startsWith(HEADS) || !isBranchName(branch)) {
    return [];
  }
  // Hosts write "no commit" as zeros.
  return [{ branch, before: commitOf(before), after: commitOf(after), deleted: deleted ?? isNone(after) }];
}

function isNone(commit: string | null | undefined): boolean {
  return typeof commit === "string" && /^0+$/.test(commit);
}

function commitOf(given: string | null | undefined): string | null {
  return typeof given === "string" && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(given) && !isNone(given) ? given : null;
}
