import { Button } from "@mantine/core";
import { IconFileSearch, IconGitBranch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi, useLocation } from "@tanstack/react-router";
import type { Repository } from "@sightline/code-index/contract";
import { useState } from "react";
import { fileQuery, treeQuery } from "#features/code/api/files.ts";
import { FileHeader, RepositoryHeader } from "#features/code/components/file-header.tsx";
import { FileTreePanel } from "#features/code/components/file-tree-panel.tsx";
import { FileView } from "#features/code/components/file-view.tsx";
import { formatLineRange, parseLineRange } from "#features/code/line-range.ts";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { useApi } from "#http/api-context.ts";
import { EmptyPanel, ErrorState, LoadingRows } from "#ui/list-states.tsx";
import { FullPage } from "#ui/page.tsx";
import { useTitle } from "#ui/use-title.ts";
import classes from "./repository-page.module.css";

const route = getRouteApi("/signed-in/code/$owner/$repo");

export function RepositoryPage() {
  const { owner, repo } = route.useParams();
  const { path } = route.useSearch();
  const fullName = `${owner}/${repo}`;
  useTitle(path === undefined ? fullName : `${path} · ${fullName}`);
  const repositories = useQuery(repositoriesQuery(useApi()));
  const repository = repositories.data?.find(({ full_name: name }) => name === fullName);
  if (repository !== undefined) {
    return <Browser repository={repository} />;
  }
  if (repositories.data === undefined && repositories.error !== null) {
    return <ErrorState title="The repository could not be loaded" error={repositories.error} onRetry={() => void repositories.refetch()} />;
  }
  if (repositories.data === undefined) {
    return (
      <div className={classes.waiting}>
        <LoadingRows rows={12} height={24} />
      </div>
    );
  }
  return (
    <EmptyPanel
      icon={<IconGitBranch />}
      title={`${fullName} is not here`}
      description="It may be registered under another name, or not yet."
    >
      <Button component={Link} to="/code/repos">
        All repositories
      </Button>
    </EmptyPanel>
  );
}

function Browser({ repository }: { readonly repository: Repository }) {
  const { path } = route.useSearch();
  const navigate = route.useNavigate();
  const tree = useQuery(treeQuery(useApi(), repository.id));
  // On a narrow screen either the files or the file.
  const [filesShown, setFilesShown] = useState(path === undefined);
  return (
    <FullPage>
      <RepositoryHeader repository={repository} filesShown={filesShown} onShowFiles={() => setFilesShown(!filesShown)} />
      <div className={classes.columns}>
        <aside className={classes.files} data-shown={filesShown || undefined} aria-label="Files of the repository">
          {tree.data !== undefined && (
            <FileTreePanel
              files={tree.data.files}
              selected={path}
              onOpen={(chosen) => {
                setFilesShown(false);
                void navigate({ search: { path: chosen }, hash: "" });
              }}
            />
          )}
          {tree.data === undefined &&
            (tree.error === null ? (
              <div className={classes.waiting}>
                <LoadingRows rows={14} height={18} />
              </div>
            ) : (
              <ErrorState title="The files could not be listed" error={tree.error} onRetry={() => void tree.refetch()} />
            ))}
        </aside>
        <div className={classes.file} data-hidden={filesShown || undefined}>
          {path === undefined ? (
            <EmptyPanel icon={<IconFileSearch />} title="Choose a file" description="Or search the code of this repository.">
              <Button component={Link} to="/code" search={{ repo: repository.full_name }} variant="default">
                Search {repository.full_name}
              </Button>
            </EmptyPanel>
          ) : (
            <OpenFile key={path} repository={repository} path={path} />
          )}
        </div>
      </div>
    </FullPage>
  );
}

function OpenFile({ repository, path }: { readonly repository: Repository; readonly path: string }) {
  const { commit: ranAt } = route.useSearch();
  const navigate = route.useNavigate();
  const target = parseLineRange(useLocation().hash);
  const file = useQuery(fileQuery(useApi(), repository.id, path));
  if (file.data === undefined) {
    return file.error === null ? (
      <div className={classes.waiting}>
        <LoadingRows rows={16} height={16} />
      </div>
    ) : (
      <ErrorState title={`${path} could not be opened`} error={file.error} onRetry={() => void file.refetch()} />
    );
  }
  return (
    <>
      <FileHeader file={file.data} target={target} ranAt={ranAt} />
      <FileView
        file={file.data}
        target={target}
        onTarget={(range) =>
          void navigate({
            search: (before) => before,
            hash: formatLineRange(range),
            replace: true,
            resetScroll: false,
            hashScrollIntoView: false,
          })
        }
      />
    </>
  );
}
