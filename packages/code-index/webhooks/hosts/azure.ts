import { z } from "zod";
import { nameSchema, pushEvent, repositoryEvent, textSchema, urlSchema } from "./host-event.ts";
import { readAs, type HostEvents, type WebhookHost } from "./host.ts";

const azureRepository = z
  .object({ name: nameSchema, project: z.object({ name: nameSchema }), defaultBranch: textSchema.nullish(), remoteUrl: urlSchema })
  .transform(({ name, project, defaultBranch, remoteUrl }) => ({
    name: `${project.name}/${name}`,
    project: project.name,
    defaultBranch: defaultBranch?.replace(/^refs\/heads\//, ""),
    urls: [remoteUrl],
  }));
const refUpdate = z
  .object({ name: textSchema, oldObjectId: textSchema.nullish(), newObjectId: textSchema.nullish() })
  .transform(({ name, oldObjectId, newObjectId }) => ({ ref: name, before: oldObjectId, after: newObjectId }));

/** Events are named within their bodies. */
const AZURE_EVENTS: HostEvents = {
  "git.push": z
    .object({ resource: z.object({ repository: azureRepository, refUpdates: z.array(refUpdate) }) })
    .transform(({ resource: { repository, refUpdates } }) => pushEvent(repository, refUpdates)),
  "git.repo.renamed": z
    .object({ resource: z.object({ repository: azureRepository, oldName: nameSchema }) })
    .transform(({ resource: { repository, oldName } }) => repositoryEvent(repository, `${repository.project}/${oldName}`)),
};
const EVENT = "service hook";

/** Azure DevOps signs nothing: its service hooks have a user name and a password instead, which is the secret. */
export const azure: WebhookHost = {
  provider: "azure",
  readHead: (header) => {
    const [, encoded = ""] = /^Basic ([A-Za-z0-9+/]+=*)$/i.exec(header("authorization") ?? "") ?? [];
    const given = Buffer.from(encoded, "base64");
    const colon = given.indexOf(":");
    return colon === -1
      ? undefined
      : { event: EVENT, deliveryId: undefined, signature: { kind: "token", token: given.subarray(colon + 1) } };
  },
  expected: "Azure DevOps: expected JSON with eventType, and resource {repository, refUpdates}",
  naming: { remoteUrl: "address" },
  events: {
    [EVENT]: z.looseObject({ eventType: z.string() }).transform((body) => readAs(AZURE_EVENTS, body.eventType, () => body)),
  },
};
