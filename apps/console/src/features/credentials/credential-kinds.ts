import type { Credential } from "@sightline/code-index/contract";

type Kind = { readonly label: string; readonly secret: string; readonly advice: string };

export const KINDS: Readonly<Record<Credential["kind"], Kind>> = {
  token: { label: "Access token", secret: "Token", advice: "One that may only read the repositories, such as a fine-grained token." },
  deploy_key: {
    label: "Deploy key",
    secret: "Private key",
    advice: "An SSH key that the host knows as a read-only deploy key; without a passphrase.",
  },
  github_app: {
    label: "GitHub App",
    secret: "Private key",
    advice: "The app needs to read contents; its key is the .pem file that GitHub made.",
  },
};
