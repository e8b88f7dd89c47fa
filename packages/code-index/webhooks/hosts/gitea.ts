import { github } from "./github.ts";
import type { WebhookHost } from "./host.ts";
import { bodySignature } from "./signature-scheme.ts";

/** Gitea, Forgejo and Gogs send what GitHub does. */
export const gitea: WebhookHost = {
  ...github,
  provider: "gitea",
  readHead: (header) => {
    const event = header("x-forgejo-event") ?? header("x-gitea-event") ?? header("x-gogs-event");
    const signature = header("x-forgejo-signature") ?? header("x-gitea-signature") ?? header("x-gogs-signature");
    return event === undefined
      ? undefined
      : {
          event,
          deliveryId: header("x-forgejo-delivery") ?? header("x-gitea-delivery") ?? header("x-gogs-delivery"),
          signature: bodySignature(
            signature,
            "X-Gitea-Signature, X-Forgejo-Signature or X-Gogs-Signature: <HMAC of the body>",
            /^([0-9a-f]{64})$/i,
          ),
        };
  },
  expected: github.expected.replace("GitHub", "Gitea, Forgejo or Gogs"),
};
