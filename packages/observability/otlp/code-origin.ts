import type { StackTrace } from "#contract.ts";
import { toText, type OtlpAttributes } from "#otlp/wire/otlp-span.ts";

const COMMIT = /^[0-9a-f]{40,64}$/;
const MAX_REPOSITORY_LENGTH = 200;

/** The repository, without scheme, user and `.git`, and the commit that a process says it runs; its version may be a commit as well. */
export function readCodeOrigin(resource: OtlpAttributes): Pick<StackTrace, "repo" | "commit"> {
  const textOf = (name: string) => toText(resource.get(name));
  const repo = (textOf("vcs.repository.url.full") ?? "")
    .replace(/^[a-z+]+:\/\//i, "")
    .replace(/^[^@/]*@/, "")
    .replace(/^([^:/]+):(?!\d+\/)/, "$1/")
    .replace(/(?:\.git)?\/?$/, "")
    .slice(0, MAX_REPOSITORY_LENGTH);
  const commit = [textOf("vcs.ref.head.revision"), textOf("service.version")].find((text) => text !== undefined && COMMIT.test(text));
  return { ...(repo === "" ? {} : { repo }), ...(commit === undefined ? {} : { commit }) };
}
