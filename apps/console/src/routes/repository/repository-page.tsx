import { Button } from "@mantine/core";
import { IconGitBranch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import type { Repository } from "@sightline/code-index/contract";
import { useState } from "react";
import { treeQuery } from "#features/code/api/files.ts";
import { RepositoryHeader } from "#features/code/file/file-header.tsx";
import { FileTreePanel } from "#features/code/file/file-tree-panel.tsx";
import { folderNamed } from "#features/code/file/folder-entries.ts";
import { FolderView } from "#features/code/file/folder-view.tsx";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { EmptyPanel, ErrorState, Unanswered } from "#ui/kit/list-states.tsx";
import { FullPage } from "#ui/page/page.tsx";
import { useTitle } from "#ui/page/use-title.ts";
import { OpenFile } from "./open-file.tsx";
import classes from "./repository-page.module.css";
import { WaitingRows } from "./waiting-rows.tsx";

const route = getRouteApi("/signed-in/code/$owner/$repo");

export function RepositoryPage() {
  const { owner, repo } = route.useParams();
  const { path } = route.useSearch();
  const fullName = `${owner}/${repo}`;
  useTitle(path === undefined ? fullName : `${path} · ${fullName}`);
  const repositories = useQuery(repositoriesQuery);
  const repository = repositories.data?.find(({ full_name: name }) => name === fullName);
  if (repository !== undefined) {
    return <Browser repository={repository} />;
  }
  if (repositories.data === undefined && repositories.error !== null) {
    return (
      <ErrorState
        order={1}
        title="The repository could not be loaded"
        error={repositories.error}
        onRetry={() => void repositories.refetch()}
      />
    );
  }
  if (repositories.data === undefined) {
    return <WaitingRows rows={12} height={24} />;
  }
  return (
    <EmptyPanel
      order={1}
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
  const { path, ref, at } = route.useSearch();
  const navigate = route.useNavigate();
  const branch = { id: repository.id, ref };
  const tree = useQuery(treeQuery(branch));
  const folder = folderNamed(path, tree.data?.files ?? []);
  // Whether it is a folder's is known from the tree alone.
  const mayBeFolder = tree.data === undefined && tree.error === null && path !== undefined && !/\.[^/]*$/u.test(path);
  // A narrow screen shows either the files or the file.
  const [filesShown, setFilesShown] = useState(path === undefined);
  return (
    <FullPage>
      <RepositoryHeader
        repository={repository}
        branch={ref}
        filesShown={filesShown}
        onShowFiles={() => setFilesShown(!filesShown)}
        onBranch={(chosen) =>
          void navigate({ search: (before) => ({ ...before, ref: chosen, commit: undefined, at: undefined }), hash: true })
        }
      />
      <div className={classes.columns}>
        <aside className={classes.files} data-shown={filesShown || undefined} aria-label="Files of the repository">
          {tree.data !== undefined && (
            <FileTreePanel
              files={tree.data.files}
              selected={path}
              onOpen={(chosen) => {
                setFilesShown(false);
                void navigate({ search: ({ panel }) => ({ path: chosen, ref, panel }), hash: "" });
              }}
            />
          )}
          {tree.data === undefined && (
            <Unanswered query={tree} failed="The files could not be listed" loading={<WaitingRows rows={14} height={18} />} />
          )}
        </aside>
        <div className={classes.file} data-hidden={filesShown || undefined}>
          {folder !== undefined || path === undefined || mayBeFolder ? (
            tree.data !== undefined && <FolderView tree={tree.data} folder={folder ?? ""} branch={branch} />
          ) : (
            <OpenFile key={`${ref} ${path} ${at}`} repository={repository} path={path} />
          )}
        </div>
      </div>
    </FullPage>
  );
}
