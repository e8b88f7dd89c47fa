import { refusal } from "@sightline/foundation/errors";
import { z } from "zod";
import type { WebhookProvider } from "#schema.ts";
import type { DeliveryHead } from "./read-head.ts";
import { changeOfRefSchema, nameSchema, pushEvent, repositoryEvent, textSchema, urlSchema, type HostEvent } from "./host-event.ts";

/**
 * What a delivery tells, out of its body.
 *
 * @throws {AppError} `invalid_push` (400) when the body is not what the host sends for this event.
 */
export function readEvent({ provider, event }: DeliveryHead, body: Buffer): HostEvent {
  const { title, expected, events } = DIALECTS[provider];
  try {
    return readAs(events, event, () => JSON.parse(body.toString("utf8")));
  } catch (error) {
    throw refusal(400, "invalid_push", `The body is not a ${event.slice(0, 50)} event of ${title}: expected JSON with ${expected}.`, {
      cause: error,
    });
  }
}

/** How a host's events are read, by their names. */
type Events = Readonly<Record<string, "ping" | z.ZodType<HostEvent>>>;

/** `parse` is called only for events that are used: the others may hold anything. */
function readAs(events: Events, name: string, parse: () => unknown): HostEvent {
  const event = Object.hasOwn(events, name) ? events[name] : undefined;
  if (event === undefined) {
    return { kind: "unused" };
  }
  return event === "ping" ? { kind: "ping" } : event.parse(parse());
}

const githubRepository = z
  .object({ full_name: nameSchema, default_branch: textSchema.nullish(), clone_url: urlSchema, ssh_url: urlSchema })
  .transform((said) => ({ name: said.full_name, defaultBranch: said.default_branch, urls: [said.clone_url, said.ssh_url] }));
const login = z.object({ login: nameSchema }).optional();

const GITHUB: Events = {
  ping: "ping",
  push: changeOfRefSchema
    .extend({ repository: githubRepository })
    .transform(({ repository, ...change }) => pushEvent(repository, [change])),
  delete: z
    .object({ ref: textSchema, ref_type: z.string(), repository: githubRepository })
    .transform(({ repository, ref, ref_type: type }) => {
      const branch = ref.startsWith("refs/") ? ref : `refs/heads/${ref}`;
      return pushEvent(repository, type === "branch" ? [{ ref: branch, deleted: true }] : []);
    }),
  repository: z
    .object({
      action: z.string(),
      repository: githubRepository,
      changes: z
        .object({
          repository: z.object({ name: z.object({ from: nameSchema }) }).optional(),
          owner: z
            .object({ from: z.record(z.string(), z.unknown()).pipe(z.object({ user: login, organization: login }).catch({})) })
            .optional(),
        })
        .optional(),
    })
    .transform(({ action, repository, changes }) => {
      const [owner = "", name = ""] = repository.name.split("/");
      const { user, organization } = changes?.owner?.from ?? {};
      const formerOwner = action === "transferred" ? (user ?? organization)?.login : undefined;
      const formerName = action === "renamed" ? changes?.repository?.name.from : undefined;
      const isMoved = formerOwner !== undefined || formerName !== undefined;
      return repositoryEvent(repository, isMoved ? `${formerOwner ?? owner}/${formerName ?? name}` : undefined);
    }),
};

const gitlabPush = changeOfRefSchema
  .extend({
    project: z.object({
      path_with_namespace: nameSchema,
      default_branch: textSchema.nullish(),
      git_http_url: urlSchema,
      git_ssh_url: urlSchema,
    }),
  })
  .transform(({ project: { path_with_namespace: name, default_branch: defaultBranch, git_http_url: http, git_ssh_url: ssh }, ...change }) =>
    pushEvent({ name, defaultBranch, urls: [http, ssh] }, [change]),
  );
const gitlabMove = z
  .object({ path_with_namespace: nameSchema, old_path_with_namespace: nameSchema })
  .transform(({ path_with_namespace: name, old_path_with_namespace: formerly }) => repositoryEvent({ name }, formerly));

/** Events that GitLab tells of the whole server, named within their bodies. */
const GITLAB_SYSTEM: Events = { push: gitlabPush, project_rename: gitlabMove, project_transfer: gitlabMove };

const GITLAB: Events = {
  "Push Hook": gitlabPush,
  "System Hook": z.looseObject({ event_name: z.string() }).transform((body) => readAs(GITLAB_SYSTEM, body.event_name, () => body)),
};

const cloudRepository = z
  .object({
    full_name: nameSchema,
    mainbranch: z.object({ name: textSchema }).nullish(),
    links: z.object({ html: z.object({ href: urlSchema }).optional() }).optional(),
  })
  .transform(({ full_name: name, mainbranch, links }) => ({ name, defaultBranch: mainbranch?.name, urls: [links?.html?.href] }));
const cloudRef = z.object({ type: z.string(), name: textSchema, target: z.object({ hash: textSchema.nullish() }).nullish() }).nullish();

const serverRepository = z
  .object({
    slug: nameSchema,
    project: z.object({ key: nameSchema }),
    links: z.object({ clone: z.array(z.object({ href: urlSchema })).optional() }).optional(),
  })
  .transform(({ slug, project, links }) => ({ name: `${project.key}/${slug}`, urls: (links?.clone ?? []).map(({ href }) => href) }));
const serverChange = z
  .object({ ref: z.object({ id: textSchema }), type: z.string(), fromHash: textSchema.nullish(), toHash: textSchema.nullish() })
  .transform(({ ref, type, fromHash, toHash }) => ({ ref: ref.id, before: fromHash, after: toHash, deleted: type === "DELETE" }));

/** Bitbucket Cloud (`repo:push`, `repo:updated`) and Data Center tell the same in different ways; one push may change several branches. */
const BITBUCKET: Events = {
  "diagnostics:ping": "ping",
  "repo:push": z
    .object({ repository: cloudRepository, push: z.object({ changes: z.array(z.object({ old: cloudRef, new: cloudRef })) }) })
    .transform(({ repository, push }) => {
      const changes = push.changes.flatMap(({ old, new: next }) => {
        const ref = next ?? old;
        return ref?.type === "branch"
          ? [{ ref: `refs/heads/${ref.name}`, before: old?.target?.hash, after: next?.target?.hash, deleted: !next }]
          : [];
      });
      return pushEvent(repository, changes);
    }),
  "repo:updated": z
    .object({
      repository: cloudRepository,
      changes: z.object({ full_name: z.object({ old: nameSchema }).optional() }).optional(),
    })
    .transform(({ repository, changes }) => repositoryEvent(repository, changes?.full_name?.old)),
  "repo:refs_changed": z
    .object({ repository: serverRepository, changes: z.array(serverChange) })
    .transform(({ repository, changes }) => pushEvent(repository, changes)),
  "repo:modified": z
    .object({ old: serverRepository, new: serverRepository })
    .transform(({ old, new: next }) => repositoryEvent(next, old.name === next.name ? undefined : old.name)),
};

const GENERIC: Events = {
  ping: "ping",
  push: changeOfRefSchema
    .extend({ full_name: nameSchema, default_branch: textSchema.nullish() })
    .transform(({ full_name: name, default_branch: defaultBranch, ...change }) => pushEvent({ name, defaultBranch }, [change])),
};

type Dialect = { readonly title: string; readonly expected: string; readonly events: Events };

const EXPECTED_BY_GITHUB = "ref and repository {full_name, default_branch}";

/** Gitea and Forgejo send what GitHub does. */
const DIALECTS: Readonly<Record<WebhookProvider, Dialect>> = {
  github: { title: "GitHub", expected: EXPECTED_BY_GITHUB, events: GITHUB },
  gitlab: { title: "GitLab", expected: "ref and project {path_with_namespace, default_branch}", events: GITLAB },
  gitea: { title: "Gitea or Forgejo", expected: EXPECTED_BY_GITHUB, events: GITHUB },
  bitbucket: { title: "Bitbucket", expected: "repository, and push {changes} or changes", events: BITBUCKET },
  generic: { title: "the generic webhook", expected: "full_name and ref", events: GENERIC },
};
