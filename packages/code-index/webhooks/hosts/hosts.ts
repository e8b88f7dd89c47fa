import { azure } from "./azure.ts";
import { bitbucket } from "./bitbucket.ts";
import { generic } from "./generic.ts";
import { gitea } from "./gitea.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import type { WebhookHost } from "./host.ts";

/** In the order in which they are recognised: Gitea, Forgejo and Gogs also send GitHub's headers, and what nobody knows is generic. */
export const HOSTS: readonly WebhookHost[] = [gitea, gitlab, bitbucket, github, azure, generic];
