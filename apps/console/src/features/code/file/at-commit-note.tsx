import { Anchor, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { CommitLink } from "#ui/page/commit-link.tsx";
import { shortRevision } from "#ui/words/short-revision.ts";

type AtCommitProps = { readonly repo: string; readonly refName: string | undefined; readonly commit: string };

/** Says that a file is shown as it was at a commit, and leads to the commit and to the file of today. */
export function AtCommitNote({ repo, refName, commit }: AtCommitProps) {
  return (
    <Text size="xs" px="md" py={6} role="note" bg="var(--sl-target)">
      As it was at commit{" "}
      <CommitLink repo={repo} refName={refName} commit={commit}>
        {shortRevision(commit)}
      </CommitLink>
      .{" "}
      <Anchor component={Link} to="." search={(before: Record<string, unknown>) => ({ ...before, at: undefined })} inherit td="underline">
        Show the indexed one
      </Anchor>
    </Text>
  );
}
