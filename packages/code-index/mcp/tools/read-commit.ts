import { z } from "zod";
import type { CommitAnswer, CompareAnswer } from "#contract.ts";
import { renderChanges } from "#mcp/kit/render-changes.ts";
import { defineTool, revisionField, oneRepoField, textField, whereFields } from "#mcp/kit/tool.ts";
import { compareCommits, readCommit } from "#retrieval/commits/read-revisions.ts";

export const readCommitTool = defineTool({
  name: "read_commit",
  title: "Read a commit",
  description: "Read a commit and its diff; with base, what changed from base to commit.",
  inputSchema: z.strictObject({
    repo: oneRepoField,
    commit: revisionField,
    base: textField(300, "The older one.").optional(),
    path: textField(4_096, "Only this file or folder.", 0).optional(),
    ref: whereFields.ref,
  }),
  answer: async ({ repo, commit, base, ...asked }, { database, access, maxTokens }) => {
    const scope = { ...access, repo, ref: asked.ref };
    return base === undefined
      ? answerCommit(await readCommit(database, scope, { ...asked, commit }), maxTokens)
      : answerCompared(await compareCommits(database, scope, { ...asked, base, head: commit }), maxTokens);
  },
});

function answerCommit({ repo, ref, commit: found, ...changed }: CommitAnswer, maxTokens: number): string {
  const message = `${found.subject}\n${found.body}`.trim();
  const parents = found.parents.map((parent) => parent.slice(0, 12)).join(", ") || "none";
  const by = `${found.committed_at} ${found.author} <${found.author_email}>, parents: ${parents}`;
  const head = `${repo}@${found.commit} (${ref})\n${by}\n${message.replaceAll(/^/gmu, "    ")}`;
  return renderChanges({ head, ...changed }, maxTokens);
}

function answerCompared({ repo, ref, base, head, ...changed }: CompareAnswer, maxTokens: number): string {
  return renderChanges({ head: `${repo} (${ref}): ${base}..${head}`, ...changed }, maxTokens);
}
