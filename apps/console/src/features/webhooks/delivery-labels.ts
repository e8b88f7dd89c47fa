import type { Delivery } from "@sightline/code-index/contract";
import type { Tone } from "#ui/kit/status.tsx";

export const STATUSES: Readonly<Record<Delivery["status"], { readonly label: string; readonly tone: Tone }>> = {
  accepted: { label: "Accepted", tone: "ok" },
  ignored: { label: "Ignored", tone: "idle" },
};

export const PROVIDERS: Readonly<Record<Delivery["provider"], string>> = {
  github: "GitHub",
  gitlab: "GitLab",
  gitea: "Gitea or Forgejo",
  bitbucket: "Bitbucket",
  generic: "generic",
};
