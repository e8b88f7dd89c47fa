import { z } from "zod";
import { changeOfRefSchema, nameSchema, pushEvent, repositoryEvent, textSchema, urlSchema } from "./host-event.ts";
import type { WebhookHost } from "./host.ts";
import { bodySignature } from "./signature-scheme.ts";

const githubRepository = z
  .object({ full_name: nameSchema, default_branch: textSchema.nullish(), clone_url: urlSchema, ssh_url: urlSchema })
  .transform((said) => ({ name: said.full_name, defaultBranch: said.default_branch, urls: [said.clone_url, said.ssh_url] }));
const login = z.object({ login: nameSchema }).optional();

export const github: WebhookHost = {
  provider: "github",
  readHead: (header) =>
    header("x-github-event") === undefined && header("x-hub-signature-256") === undefined
      ? undefined
      : {
          event: header("x-github-event") ?? "unnamed",
          deliveryId: header("x-github-delivery"),
          signature: bodySignature(header("x-hub-signature-256"), "X-Hub-Signature-256: sha256=<HMAC of the body>"),
        },
  expected: "GitHub: expected JSON with ref and repository {full_name, default_branch}",
  naming: { full_name: "name", clone_url: "address", ssh_url: "address", git_url: "address" },
  events: {
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
  },
};
