import { z } from "zod";
import { changeOfRefSchema, nameSchema, pushEvent, repositoryEvent, textSchema, urlSchema } from "./host-event.ts";
import { readAs, type Header, type HostEvents, type WebhookHost } from "./host.ts";
import { refused, type SignatureScheme } from "./signature-scheme.ts";

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
const GITLAB_SYSTEM: HostEvents = { push: gitlabPush, project_rename: gitlabMove, project_transfer: gitlabMove };

export const gitlab: WebhookHost = {
  provider: "gitlab",
  readHead: (header) => {
    const event = header("x-gitlab-event");
    const deliveryId = header("webhook-id") ?? header("idempotency-key") ?? header("x-gitlab-event-uuid");
    return event === undefined ? undefined : { event, deliveryId, signature: readSignature(header) };
  },
  expected: "GitLab: expected JSON with ref and project {path_with_namespace, default_branch}",
  naming: { path_with_namespace: "name", git_http_url: "address", git_ssh_url: "address" },
  events: {
    "Push Hook": gitlabPush,
    "System Hook": z.looseObject({ event_name: z.string() }).transform((body) => readAs(GITLAB_SYSTEM, body.event_name, () => body)),
  },
};

/** A signature that is there is checked; the token beside it does not make up for a wrong one. */
function readSignature(header: Header): SignatureScheme {
  const [signature, id, timestamp] = [header("webhook-signature"), header("webhook-id"), header("webhook-timestamp")];
  if (signature !== undefined) {
    const signatures = signature
      .split(" ")
      .slice(0, 10)
      .flatMap((one) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(one)?.slice(1) ?? [])
      .map((one) => Buffer.from(one, "base64"));
    if (signatures.length === 0 || id === undefined || timestamp === undefined || !/^\d{1,12}$/.test(timestamp)) {
      throw refused("The delivery's webhook-id, webhook-timestamp and webhook-signature: v1,<HMAC> are not complete.");
    }
    return { kind: "standard", signatures, id, timestamp };
  }
  const token = header("x-gitlab-token");
  if (token === undefined || token === "") {
    throw refused(
      "The delivery has neither webhook-signature nor X-Gitlab-Token. Give the webhook its signing token or secret at the host.",
    );
  }
  // Node reads the bytes of headers as Latin-1.
  return { kind: "token", token: Buffer.from(token, "latin1") };
}
