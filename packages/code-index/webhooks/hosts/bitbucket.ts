import { z } from "zod";
import { nameSchema, pushEvent, repositoryEvent, textSchema, urlSchema } from "./host-event.ts";
import type { WebhookHost } from "./host.ts";
import { bodySignature } from "./signature-scheme.ts";

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
export const bitbucket: WebhookHost = {
  provider: "bitbucket",
  readHead: (header) => {
    const event = header("x-event-key");
    return event === undefined
      ? undefined
      : {
          event,
          deliveryId: header("x-request-uuid") ?? header("x-request-id"),
          signature: bodySignature(header("x-hub-signature"), "X-Hub-Signature: sha256=<HMAC of the body>"),
        };
  },
  expected: "Bitbucket: expected JSON with repository, and push {changes} or changes",
  naming: { full_name: "name", href: "address", key: "key", slug: "slug" },
  events: {
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
  },
};
