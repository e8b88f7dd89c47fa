import { AppError } from "@sightline/foundation/errors";
import { z } from "zod";
import type { Push, WebhookProvider } from "#schema.ts";
import { readBitbucketEvent } from "./read-bitbucket-event.ts";
import type { DeliveryHead } from "./read-head.ts";
import { addressesOf, nameSchema, push, textSchema, urlSchema, type HostEvent } from "./host-event.ts";

/**
 * What a delivery tells, out of its body.
 *
 * @throws {AppError} `invalid_push` (400) when the body is not what the host sends for this event.
 */
export function readEvent({ provider, event }: DeliveryHead, body: Buffer): HostEvent {
  const read = READERS[provider];
  try {
    return read(event, () => JSON.parse(body.toString("utf8")));
  } catch (error) {
    throw new AppError({
      code: "invalid_push",
      status: 400,
      message: `The body is not a ${event.slice(0, 50)} event of ${TITLES[provider]}: expected JSON with ${EXPECTED[provider]}.`,
      cause: error,
    });
  }
}

const TITLES: Readonly<Record<WebhookProvider, string>> = {
  github: "GitHub",
  gitlab: "GitLab",
  gitea: "Gitea or Forgejo",
  bitbucket: "Bitbucket",
  generic: "the generic webhook",
};

const EXPECTED: Readonly<Record<WebhookProvider, string>> = {
  github: "ref and repository {full_name, default_branch}",
  gitlab: "ref and project {path_with_namespace, default_branch}",
  gitea: "ref and repository {full_name, default_branch}",
  bitbucket: "repository, and push {changes} or changes",
  generic: "full_name and ref",
};

/** `parse` is called only for events that are used: the others may hold anything. */
type Reader = (event: string, parse: () => unknown) => HostEvent;

const READERS: Readonly<Record<WebhookProvider, Reader>> = {
  github: readGithub,
  gitea: readGithub,
  gitlab: readGitlab,
  bitbucket: readBitbucketEvent,
  generic: readGeneric,
};

const githubRepositorySchema = z.object({
  full_name: nameSchema,
  default_branch: textSchema.nullish(),
  clone_url: urlSchema,
  ssh_url: urlSchema,
});
const changeOfRefSchema = z.object({
  ref: textSchema,
  before: textSchema.nullish(),
  after: textSchema.nullish(),
  deleted: z.boolean().optional(),
});
const githubPushSchema = changeOfRefSchema.extend({ repository: githubRepositorySchema });
const deletedRefSchema = z.object({ ref: textSchema, ref_type: z.string(), repository: githubRepositorySchema });
const repositoryEventSchema = z.object({
  action: z.string(),
  repository: githubRepositorySchema,
  changes: z
    .object({
      repository: z.object({ name: z.object({ from: nameSchema }) }).optional(),
      owner: z.object({ from: z.record(z.string(), z.unknown()) }).optional(),
    })
    .optional(),
});

/** Gitea and Forgejo send what GitHub does. */
function readGithub(event: string, parse: () => unknown): HostEvent {
  switch (event) {
    case "ping":
      return { kind: "ping" };
    case "push": {
      const { repository, ...change } = githubPushSchema.parse(parse());
      return pushTo(repository, [change]);
    }
    case "delete": {
      const { repository, ref, ref_type: type } = deletedRefSchema.parse(parse());
      const branch = ref.startsWith("refs/") ? ref : `refs/heads/${ref}`;
      return pushTo(repository, type === "branch" ? [{ ref: branch, deleted: true }] : []);
    }
    case "repository": {
      const { action, repository, changes } = repositoryEventSchema.parse(parse());
      return { ...pushTo(repository, []), kind: "repository", action, formerName: formerName(action, repository.full_name, changes) };
    }
    default:
      return { kind: "other" };
  }
}

type RepositoryChanges = z.infer<typeof repositoryEventSchema>["changes"];

/** What a repository was called before it was renamed or given to another owner. */
function formerName(action: string, fullName: string, changes: RepositoryChanges): string | undefined {
  const [owner = "", name = ""] = fullName.split("/");
  if (action === "renamed" && changes?.repository !== undefined) {
    return `${owner}/${changes.repository.name.from}`;
  }
  const former = z
    .object({ user: z.object({ login: nameSchema }).optional(), organization: z.object({ login: nameSchema }).optional() })
    .safeParse(changes?.owner?.from);
  const login = former.data?.user?.login ?? former.data?.organization?.login;
  return action === "transferred" && login !== undefined ? `${login}/${name}` : undefined;
}

const gitlabProjectSchema = z.object({
  path_with_namespace: nameSchema,
  default_branch: textSchema.nullish(),
  git_http_url: urlSchema,
  git_ssh_url: urlSchema,
});
const gitlabPushSchema = changeOfRefSchema.extend({ project: gitlabProjectSchema });
const gitlabSystemSchema = z.object({ event_name: z.string() });
const gitlabRenameSchema = z.object({ path_with_namespace: nameSchema, old_path_with_namespace: nameSchema });

function readGitlab(event: string, parse: () => unknown): HostEvent {
  if (event === "Push Hook") {
    return gitlabPush(gitlabPushSchema.parse(parse()));
  }
  if (event !== "System Hook") {
    return { kind: "other" };
  }
  const body = parse();
  switch (gitlabSystemSchema.parse(body).event_name) {
    case "push":
      return gitlabPush(gitlabPushSchema.parse(body));
    case "project_rename":
    case "project_transfer": {
      const { path_with_namespace: name, old_path_with_namespace: formerly } = gitlabRenameSchema.parse(body);
      return { kind: "repository", action: "renamed", formerName: formerly, addresses: [], push: push(name, null, []) };
    }
    default:
      return { kind: "other" };
  }
}

function gitlabPush({ project, ...change }: z.infer<typeof gitlabPushSchema>): HostEvent {
  return {
    kind: "push",
    addresses: addressesOf(project.git_http_url, project.git_ssh_url),
    push: push(project.path_with_namespace, project.default_branch, [change]),
  };
}

const genericSchema = changeOfRefSchema.extend({ full_name: nameSchema, default_branch: textSchema.nullish() });

function readGeneric(event: string, parse: () => unknown): HostEvent {
  if (event === "ping") {
    return { kind: "ping" };
  }
  if (event !== "push") {
    return { kind: "other" };
  }
  const { full_name: name, default_branch: defaultBranch, ...change } = genericSchema.parse(parse());
  return { kind: "push", addresses: [], push: push(name, defaultBranch, [change]) };
}

type PushEvent = Extract<HostEvent, { kind: "push" }>;

function pushTo(repository: z.infer<typeof githubRepositorySchema>, changes: Parameters<typeof push>[2]): PushEvent {
  return {
    kind: "push",
    addresses: addressesOf(repository.clone_url, repository.ssh_url),
    push: push(repository.full_name, repository.default_branch, changes) satisfies Push,
  };
}
