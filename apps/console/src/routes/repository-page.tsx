import { Button } from "@mantine/core";
import { IconFileOff, IconGitBranch } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, getRouteApi, useLocation } from "@tanstack/react-router";
import type { Repository } from "@sightline/code-index/contract";
import { type ComponentProps, useMemo, useState } from "react";
import { fileQuery, outlineQuery, treeQuery } from "#features/code/api/files.ts";
import { definitionsOf, symbolsQuery } from "#features/code/api/symbols.ts";
import { AtCommitNote } from "#features/code/file/at-commit-note.tsx";
import { useBlame } from "#features/code/file/blame-margin.tsx";
import { fileLink } from "#features/code/model/file-link.ts";
import { FileHeader, RepositoryHeader } from "#features/code/file/file-header.tsx";
import { FilePanel, NameField } from "#features/code/file/file-panel.tsx";
import { FileTreePanel } from "#features/code/file/file-tree-panel.tsx";
import { FileView } from "#features/code/file/file-view.tsx";
import { folderNamed } from "#features/code/file/folder-entries.ts";
import { FolderView } from "#features/code/file/folder-view.tsx";
import { HistoryPanel, LastChanged } from "#features/code/file/history-panel.tsx";
import { OutlinePanel } from "#features/code/file/outline-panel.tsx";
import { SymbolPanel } from "#features/code/file/symbol-panel.tsx";
import { type LineRange, formatLineRange, parseLineRange } from "#features/code/model/line-range.ts";
import { PANELS, type Panel, panelOf } from "#features/code/file/panels.ts";
import { codeRunsQuery } from "#features/traces/api/code-runs.ts";
import { CodeRunsPanel } from "#features/traces/details/code-runs-panel.tsx";
import { runMarks } from "#features/traces/details/run-marks.ts";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { hasStatus } from "#http/api-error.ts";
import { EmptyPanel, ErrorState, LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { MarkdownText } from "#ui/markdown/markdown-text.tsx";
import { FullPage } from "#ui/page/page.tsx";
import { useTitle } from "#ui/page/use-title.ts";
import classes from "./repository-page.module.css";

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
  // On a narrow screen either the files or the file.
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

function OpenFile({ repository, path }: { readonly repository: Repository; readonly path: string }) {
  const { commit: linkedCommit, ref, at, blame, symbol, from, panel: asked, view } = route.useSearch();
  const navigate = route.useNavigate();
  const target = parseLineRange(useLocation().hash);
  const branch = { id: repository.id, ref };
  const file = useQuery(fileQuery(branch, path, at));
  const marginOf = useBlame(branch, { path, commit: file.data?.commit ?? "", isShown: blame !== undefined && file.data !== undefined });
  const panel = panelOf(asked);
  const show = (next: { readonly panel: Panel | undefined; readonly symbol?: string; readonly from?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...next }), hash: true, replace: true, resetScroll: false });
  const showBlame = (isShown: boolean) =>
    void navigate({ search: (before) => ({ ...before, blame: isShown ? "1" : undefined }), hash: true, replace: true, resetScroll: false });
  const aim = (range: LineRange) =>
    void navigate({
      search: (before) => before,
      hash: formatLineRange(range),
      replace: true,
      resetScroll: false,
      hashScrollIntoView: false,
    });
  const showName = (name: string, position?: string) => show({ panel: "symbol", symbol: name, from: position });
  const queries = useQueryClient();
  const outline = useQuery(outlineQuery(branch, path));
  // They are of the indexed commit, and stand elsewhere in the file of another.
  const definitions = useMemo(() => (at === undefined ? (outline.data?.symbols ?? []) : []), [at, outline.data]);
  const names = useMemo(
    () => ({ own: new Set(definitions.map(({ name }) => name)), used: new Set(outline.data?.names) }),
    [definitions, outline.data],
  );
  const runs = useQuery(codeRunsQuery({ repo: repository.full_name, path, lines: undefined }));
  const commit = file.data?.commit ?? "";
  const marks = useMemo(() => runMarks(runs.data?.items ?? [], { commit, definitions }), [runs.data, commit, definitions]);
  const follow = async (name: string, position: string) => {
    // Where it can't be looked up, the panel says why.
    const found = await queries.fetchQuery(symbolsQuery(name, { repo: repository.full_name, ref, position })).catch(() => undefined);
    const [definition] = definitionsOf(name, path, found?.symbols ?? []);
    return definition === undefined
      ? showName(name, position)
      : navigate(fileLink({ ...definition, end_line: definition.start_line }, ref !== undefined));
  };
  if (file.data === undefined) {
    return hasStatus(file.error, 404) ? (
      <EmptyPanel
        icon={<IconFileOff />}
        title={`${path} is not here`}
        description="The index has no such file: it was moved, deleted, or left out."
      >
        <Button component={Link} to="/code" search={{ q: path.split("/").at(-1) ?? path, repo: repository.full_name }} variant="default">
          Search for {path.split("/").at(-1)}
        </Button>
        <Button component={Link} to="/code/repos/$repositoryId" params={{ repositoryId: repository.id }} variant="default">
          Why it is not searchable
        </Button>
      </EmptyPanel>
    ) : (
      <Unanswered query={file} failed={`${path} could not be opened`} loading={<WaitingRows rows={16} height={16} />} />
    );
  }
  const isMarkdown = file.data.language === "markdown";
  // A line is one of the text as it is written.
  const isPreview = isMarkdown && view !== "source" && target === undefined && blame === undefined;
  return (
    <>
      <FileHeader
        file={file.data}
        branch={ref}
        target={target}
        linkedCommit={linkedCommit}
        lastChanged={<LastChanged branch={branch} path={path} />}
      >
        {isMarkdown && (
          <Button
            size="compact-xs"
            variant={isPreview ? "light" : "default"}
            aria-pressed={isPreview}
            onClick={() =>
              void navigate({ search: (before) => ({ ...before, view: isPreview ? "source" : undefined }), hash: "", replace: true })
            }
          >
            Preview
          </Button>
        )}
        {PANELS.map(({ value, label }) => (
          <Button
            key={value}
            size="compact-xs"
            variant={panel === value ? "light" : "default"}
            aria-pressed={panel === value}
            onClick={() => show({ panel: panel === value ? undefined : value })}
          >
            {label}
          </Button>
        ))}
        <Button
          size="compact-xs"
          variant={blame === undefined ? "default" : "light"}
          aria-pressed={blame !== undefined}
          onClick={() => showBlame(blame === undefined)}
        >
          Blame
        </Button>
      </FileHeader>
      {at !== undefined && <AtCommitNote repo={repository.full_name} refName={ref} commit={file.data.commit} />}
      <div className={classes.content} data-panel={panel !== undefined || undefined}>
        {isPreview ? (
          <section className={classes.preview} aria-label={`Preview of ${path}`} tabIndex={0}>
            <MarkdownText asDocument text={file.data.content} />
          </section>
        ) : (
          <FileView
            file={file.data}
            target={target}
            onTarget={aim}
            names={names}
            marks={marks}
            onMark={() => show({ panel: "runs" })}
            branch={ref}
            onName={showName}
            onFollow={(name, position) => void follow(name, position)}
            marginOf={marginOf}
          />
        )}
        {panel !== undefined && (
          <FilePanel panel={panel} onClose={() => show({ panel: undefined })}>
            {panel === "outline" && (
              <OutlinePanel branch={branch} path={path} target={target} onTarget={aim} onName={(name) => showName(name)} />
            )}
            {panel === "history" && <HistoryPanel branch={branch} path={path} lines={target} commit={file.data.commit} />}
            {panel === "runs" && (
              <CodeRunsPanel
                repo={repository.full_name}
                path={path}
                lines={target}
                commit={file.data.commit}
                onLine={(line) => aim({ start: line, end: line })}
              />
            )}
            {panel === "symbol" && (
              <>
                <NameField key={`field ${symbol}`} name={symbol} onName={(name) => showName(name)} />
                {symbol !== undefined && (
                  <SymbolPanel
                    key={`${symbol} ${from}`}
                    symbol={symbol}
                    place={{ repo: repository.full_name, ref, path, position: from }}
                  />
                )}
              </>
            )}
          </FilePanel>
        )}
      </div>
    </>
  );
}

function WaitingRows(rows: ComponentProps<typeof LoadingRows>) {
  return (
    <div className={classes.waiting}>
      <LoadingRows {...rows} />
    </div>
  );
}
