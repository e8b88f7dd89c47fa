import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { WEBHOOK_HOSTS, webhookProviderSchema } from "#contract.ts";
import { readEvent, readHead } from "#webhooks/read-delivery.ts";
import { scanNames } from "#webhooks/scan-names.ts";
import { verifySignature } from "#webhooks/verify-signature.ts";
import { HOSTS } from "./hosts.ts";

const SECRET = "a secret of thirty-two characters";
const [before, after] = ["a".repeat(40), "b".repeat(40)];
const change = { ref: "refs/heads/main", before, after };
const repository = { full_name: "acme/shop", default_branch: "main", clone_url: "https://git.test/acme/shop.git", ssh_url: null };
const cloudRef = (hash: string) => ({ type: "branch", name: "main", target: { hash } });

type Example = { readonly headers: (hmac: string) => Record<string, string>; readonly push: object };

/** A push as each host sends it. */
const EXAMPLES: Readonly<Record<string, Example>> = {
  gitea: {
    // GitHub's headers too, as Gitea sends them.
    headers: (hmac) => ({ "x-gitea-event": "push", "x-gitea-signature": hmac, "x-github-event": "push" }),
    push: { ...change, repository },
  },
  gitlab: {
    headers: () => ({ "x-gitlab-event": "Push Hook", "x-gitlab-token": SECRET }),
    push: { ...change, project: { path_with_namespace: "acme/shop", git_http_url: "https://git.test/acme/shop.git", git_ssh_url: null } },
  },
  bitbucket: {
    headers: (hmac) => ({ "x-event-key": "repo:push", "x-hub-signature": `sha256=${hmac}` }),
    push: {
      repository: { full_name: "acme/shop", links: { html: { href: "https://git.test/acme/shop" } } },
      push: { changes: [{ old: cloudRef(before), new: cloudRef(after) }] },
    },
  },
  github: {
    headers: (hmac) => ({ "x-github-event": "push", "x-hub-signature-256": `sha256=${hmac}` }),
    push: { ...change, repository },
  },
  azure: {
    headers: () => ({ authorization: `Basic ${Buffer.from(`any:${SECRET}`).toString("base64")}` }),
    push: {
      eventType: "git.push",
      resource: {
        refUpdates: [{ name: "refs/heads/main", oldObjectId: before, newObjectId: after }],
        repository: {
          name: "shop",
          project: { name: "acme" },
          defaultBranch: "refs/heads/main",
          remoteUrl: "https://dev.azure.com/org/acme/_git/shop",
        },
      },
    },
  },
  generic: { headers: (hmac) => ({ "x-signature-256": `sha256=${hmac}` }), push: { ...change, full_name: "acme/shop" } },
};

test("each kind of host has a reader, an example here and words for people", () => {
  const providers = HOSTS.map(({ provider }) => provider);
  expect(providers).toEqual(Object.keys(EXAMPLES));
  expect(providers.toSorted()).toEqual([...webhookProviderSchema.options].toSorted());
});

describe.each(HOSTS)("$provider", ({ provider }) => {
  const { headers, push } = EXAMPLES[provider] ?? expect.fail(`There is no example of ${provider}.`);
  const body = Buffer.from(JSON.stringify(push));
  const sent = headers(createHmac("sha256", SECRET).update(body).digest("hex"));

  test("is recognised by its headers, and its signature opens with the secret alone", () => {
    const head = readHead(sent);
    expect(head.provider).toBe(provider);
    expect(verifySignature(head.signature, SECRET, { body, now: new Date() })).toBe(true);
    expect(verifySignature(head.signature, "another secret", { body, now: new Date() })).toBe(false);
  });

  test("without a signature is refused, with what is missing", () => {
    const bare = Object.fromEntries(Object.entries(sent).filter(([name]) => !/signature|token|authorization/.test(name)));
    expect(() => readHead(bare)).toThrow(/The delivery has n/);
  });

  test("names its repository before the body is trusted, and its push is read after", () => {
    const { names, addresses } = scanNames(body);
    expect([...names, ...addresses].filter((name) => /(?:^|\/)acme\/(?:_git\/)?shop$/.test(name))).not.toEqual([]);
    expect(readEvent(readHead(sent), body)).toMatchObject({
      kind: "push",
      push: { full_name: "acme/shop", changes: [{ branch: "main", before, after, deleted: false }] },
    });
  });

  test("of a body that is not its event it says what was expected", () => {
    expect(() => readEvent(readHead(sent), Buffer.from("{}"))).toThrow(/expected JSON with/);
  });

  test("has a title, a recipe with the secret, and the path of a commit", () => {
    const { title, recipe, commitPath } = WEBHOOK_HOSTS[provider];
    expect(title).not.toBe("");
    expect(recipe("the secret S")).toContain("the secret S");
    expect(commitPath).toMatch(/^[\w/-]+$/);
  });
});
