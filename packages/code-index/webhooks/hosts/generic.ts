import { changeOfRefSchema, nameSchema, pushEvent, textSchema } from "./host-event.ts";
import type { WebhookHost } from "./host.ts";
import { bodySignature } from "./signature-scheme.ts";

const KNOWN = "X-Hub-Signature-256, X-Gitlab-Token, X-Gitea-Signature, X-Hub-Signature or X-Signature-256";

/** A script, or a host that is not known here. */
export const generic: WebhookHost = {
  provider: "generic",
  readHead: (header) => ({
    event: header("x-event") ?? "push",
    deliveryId: header("x-delivery-id"),
    signature: bodySignature(header("x-signature-256"), `signature that is known here: ${KNOWN}`),
  }),
  expected: "the generic webhook: expected JSON with full_name and ref",
  naming: { full_name: "name" },
  events: {
    ping: "ping",
    push: changeOfRefSchema
      .extend({ full_name: nameSchema, default_branch: textSchema.nullish() })
      .transform(({ full_name: name, default_branch: defaultBranch, ...change }) => pushEvent({ name, defaultBranch }, [change])),
  },
};
