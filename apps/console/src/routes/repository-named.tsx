import { IconGitCommit } from "@tabler/icons-react";
import type { Repository } from "@sightline/code-index/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { EmptyPanel, LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { WidePage } from "#ui/page/page.tsx";

type NamedProps = {
  readonly owner: string;
  readonly repo: string;
  readonly children: (repository: Repository) => ReactNode;
};

/** A page about the repository that its address names. */
export function RepositoryNamed({ owner, repo, children }: NamedProps) {
  const fullName = `${owner}/${repo}`;
  const repositories = useQuery(repositoriesQuery);
  const repository = repositories.data?.find(({ full_name: name }) => name === fullName);
  return (
    <WidePage>
      {repository !== undefined && children(repository)}
      {repository === undefined && repositories.data !== undefined && (
        <EmptyPanel
          order={1}
          icon={<IconGitCommit />}
          title={`${fullName} is not here`}
          description="It may be registered under another name."
        />
      )}
      {repositories.data === undefined && (
        <Unanswered query={repositories} failed="The repository could not be loaded" loading={<LoadingRows rows={8} />} />
      )}
    </WidePage>
  );
}
