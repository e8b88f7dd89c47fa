import { z } from "zod";

export const webhookProviderSchema = z.enum(["github", "gitlab", "gitea", "bitbucket", "azure", "generic"]);
export type WebhookProvider = z.infer<typeof webhookProviderSchema>;

type DescribedHost = {
  readonly title: string;
  /** Where the host is told to send its pushes; code in backticks. */
  readonly recipe: (secret: string) => string;
  /** Between the address of a repository and a commit in a link. */
  readonly commitPath: string;
  /** Hosts that a repository's address shows to be of this kind. */
  readonly domain?: RegExp;
};

/** Titles, recipes and links of each kind of host, for people. */
export const WEBHOOK_HOSTS: Readonly<Record<WebhookProvider, DescribedHost>> = {
  github: {
    title: "GitHub",
    recipe: (secret) =>
      `Settings → Webhooks → Add webhook. Content type \`application/json\`, secret: ${secret}, just the push event. GitHub sends a ping at once, and shows each delivery with a button to send it again.`,
    commitPath: "commit",
  },
  gitlab: {
    title: "GitLab",
    recipe: (secret) =>
      `Settings → Webhooks → Add new webhook. Secret token: ${secret}; trigger: push events. “Test” sends the newest push.`,
    commitPath: "-/commit",
    domain: /gitlab/,
  },
  gitea: {
    title: "Gitea, Forgejo or Gogs",
    recipe: (secret) =>
      `Settings → Webhooks → Add webhook. POST content type \`application/json\`, secret: ${secret}, trigger on push events.`,
    commitPath: "commit",
  },
  bitbucket: {
    title: "Bitbucket",
    recipe: (secret) => `Repository settings → Webhooks → Add webhook. Secret: ${secret}; trigger: repository push.`,
    commitPath: "commits",
    domain: /^bitbucket\.org$/,
  },
  azure: {
    title: "Azure DevOps",
    recipe: (secret) =>
      `Project settings → Service hooks → Create subscription → Web Hooks, trigger “Code pushed”. Any user name, as the basic authentication password: ${secret}.`,
    commitPath: "commit",
    domain: /(?:^|\.)(?:dev\.azure|visualstudio)\.com$/,
  },
  generic: {
    title: "Any other host",
    recipe: (secret) =>
      `POST JSON with \`full_name\`, \`ref\`, \`before\` and \`after\`, and the header \`X-Signature-256: sha256=…\`, the HMAC-SHA-256 of the body with ${secret}.`,
    commitPath: "commit",
  },
};
