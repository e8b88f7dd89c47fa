import { github } from "./github.ts";
import type { WebhookHost } from "./host.ts";
import { bodySignature } from "./signature-scheme.ts";

/** Gitea and Forgejo send what GitHub does. */
export const gitea: WebhookHost = {
  ...github,
  provider: "gitea",
  readHead: (header) => {
    const event = header("x-forgejo-event") ?? header("x-gitea-event");
    const signature = header("x-forgejo-signature") ?? header("x-gitea-signature");
    return event === undefined
      ? undefined
      : {
          event,
          deliveryId: header("x-forgejo-delivery") ?? header("x-gitea-delivery"),
          signature: bodySignature(signature, "X-Gitea-Signature or X-Forgejo-Signature: <HMAC of the body>", /^([0-9a-f]{64})$/i),
        };
  },
  expected: github.expected.replace("GitHub", "Gitea or Forgejo"),
};
