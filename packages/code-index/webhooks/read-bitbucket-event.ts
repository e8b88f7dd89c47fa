import { z } from "zod";
import { addressesOf, nameSchema, push, textSchema, urlSchema, type HostEvent } from "./host-event.ts";

/** Bitbucket Cloud and Bitbucket Data Center tell the same in different ways; one push may change several branches. */
export function readBitbucketEvent(event: string, parse: () => unknown): HostEvent {
  switch (event) {
    case "diagnostics:ping":
      return { kind: "ping" };
    case "repo:push":
      return readCloudPush(cloudPushSchema.parse(parse()));
    case "repo:updated":
      return readCloudChange(cloudChangeSchema.parse(parse()));
    case "repo:refs_changed":
      return readServerPush(serverPushSchema.parse(parse()));
    case "repo:modified":
      return readServerChange(serverChangeSchema.parse(parse()));
    default:
      return { kind: "other" };
  }
}

const cloudRefSchema = z
  .object({ type: z.string(), name: textSchema, target: z.object({ hash: textSchema.nullish() }).nullish() })
  .nullish();
const cloudRepositorySchema = z.object({
  full_name: nameSchema,
  mainbranch: z.object({ name: textSchema }).nullish(),
  links: z.object({ html: z.object({ href: urlSchema }).optional() }).optional(),
});
const cloudPushSchema = z.object({
  repository: cloudRepositorySchema,
  push: z.object({ changes: z.array(z.object({ old: cloudRefSchema, new: cloudRefSchema })) }),
});
const cloudChangeSchema = z.object({
  repository: cloudRepositorySchema,
  changes: z.object({ full_name: z.object({ old: nameSchema }).optional() }).optional(),
});

function readCloudPush({ repository, push: { changes } }: z.infer<typeof cloudPushSchema>): HostEvent {
  const changed = changes.flatMap(({ old, new: next }) => {
    const ref = next ?? old;
    return ref?.type === "branch"
      ? [{ ref: `refs/heads/${ref.name}`, before: old?.target?.hash, after: next?.target?.hash, deleted: !next }]
      : [];
  });
  return { kind: "push", ...aboutCloud(repository, changed) };
}

function readCloudChange({ repository, changes }: z.infer<typeof cloudChangeSchema>): HostEvent {
  return { kind: "repository", action: "updated", formerName: changes?.full_name?.old, ...aboutCloud(repository, []) };
}

function aboutCloud({ full_name: name, mainbranch, links }: z.infer<typeof cloudRepositorySchema>, changes: Parameters<typeof push>[2]) {
  return { addresses: addressesOf(links?.html?.href), push: push(name, mainbranch?.name, changes) };
}

const serverRepositorySchema = z.object({
  slug: nameSchema,
  project: z.object({ key: nameSchema }),
  links: z.object({ clone: z.array(z.object({ href: urlSchema })).optional() }).optional(),
});
const serverPushSchema = z.object({
  repository: serverRepositorySchema,
  changes: z.array(
    z.object({ ref: z.object({ id: textSchema }), type: z.string(), fromHash: textSchema.nullish(), toHash: textSchema.nullish() }),
  ),
});
const serverChangeSchema = z.object({ old: serverRepositorySchema, new: serverRepositorySchema });

function readServerPush({ repository, changes }: z.infer<typeof serverPushSchema>): HostEvent {
  const changed = changes.map(({ ref, type, fromHash, toHash }) => ({
    ref: ref.id,
    before: fromHash,
    after: toHash,
    deleted: type === "DELETE",
  }));
  return { kind: "push", addresses: serverAddresses(repository), push: push(serverName(repository), null, changed) };
}

function readServerChange({ old, new: next }: z.infer<typeof serverChangeSchema>): HostEvent {
  const [formerly, name] = [serverName(old), serverName(next)];
  return {
    kind: "repository",
    action: "modified",
    formerName: formerly === name ? undefined : formerly,
    addresses: serverAddresses(next),
    push: push(name, null, []),
  };
}

function serverName({ project, slug }: z.infer<typeof serverRepositorySchema>): string {
  return `${project.key}/${slug}`;
}

function serverAddresses({ links }: z.infer<typeof serverRepositorySchema>): readonly string[] {
  return addressesOf(...(links?.clone ?? []).map(({ href }) => href));
}
