import { Anchor, Text } from "@mantine/core";
import type { Repository } from "@sightline/code-index/contract";
import { IconArrowLeft, IconArrowsLeftRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { compareQuery } from "#features/code/api/commits.ts";
import { ChangedFiles } from "#features/code/commit/changed-files.tsx";
import { CommitLink } from "#ui/page/commit-link.tsx";
import { PickCommit } from "#features/code/commit/pick-commit.tsx";
import { shortRevision } from "#ui/words/short-revision.ts";
import { EmptyPanel, ErrorState, LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { hasStatus } from "#http/api-error.ts";
import { IconButton } from "#ui/kit/icon-button.tsx";
import { codeLink } from "#ui/page/code-link.ts";
import { PageHeader } from "#ui/page/page-header.tsx";
import classes from "./compare-commits-page.module.css";
import { RepositoryNamed } from "./repository-named.tsx";

const route = getRouteApi("/signed-in/code/$owner/$repo/compare");

/** What changed from one commit to another, both of which are chosen here. */
export function CompareCommitsPage() {
  return <RepositoryNamed {...route.useParams()}>{(repository) => <Comparison repository={repository} />}</RepositoryNamed>;
}

function Comparison({ repository }: { readonly repository: Repository }) {
  const { ref, base, head: asked, view } = route.useSearch();
  const navigate = route.useNavigate();
  const { full_name: repo, refs, default_branch: standard } = repository;
  const newest = refs.find(({ name }) => name === (ref ?? standard))?.indexed_commit ?? undefined;
  const head = asked ?? newest;
  const choose = (next: { readonly base?: string | undefined; readonly head?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...next }), resetScroll: false });
  return (
    <>
      <PageHeader
        title="Compare two commits"
        documentTitle={`Compare commits · ${repo}`}
        description={
          <Anchor component={Link} {...codeLink(repo)} search={{ ref }} inherit>
            {repo}
          </Anchor>
        }
      />
      <div className={classes.ends}>
        <End name="From" commit={base} repository={repository} refName={ref} onPick={(commit) => choose({ base: commit })} />
        <IconButton
          label="Swap them"
          disabled={base === undefined || head === undefined}
          onClick={() => choose({ base: head, head: base })}
        >
          <IconArrowsLeftRight size={15} />
        </IconButton>
        <End name="To" commit={head} repository={repository} refName={ref} onPick={(commit) => choose({ head: commit })} />
      </div>
      {base === undefined || head === undefined ? (
        <EmptyPanel icon={<IconArrowLeft />} title="Choose a commit to compare with" description="What changed since it is shown here." />
      ) : (
        <Changes
          repository={repository}
          refName={ref}
          base={base}
          head={head}
          view={view === "split" ? "split" : "unified"}
          onView={(next) => void navigate({ search: (before) => ({ ...before, view: next }), replace: true, resetScroll: false })}
        />
      )}
    </>
  );
}

type EndProps = {
  readonly name: string;
  readonly commit: string | undefined;
  readonly repository: Repository;
  readonly refName: string | undefined;
  readonly onPick: (commit: string) => void;
};

function End({ name, commit, repository, refName, onPick }: EndProps) {
  return (
    <div className={classes.end}>
      <Text span c="dimmed">
        {name}
      </Text>
      {commit !== undefined && (
        <CommitLink repo={repository.full_name} refName={refName} commit={commit} className={classes.hash}>
          {shortRevision(commit)}
        </CommitLink>
      )}
      <PickCommit repository={repository} refName={refName} label={commit === undefined ? "Choose a commit" : "Change"} onPick={onPick} />
    </div>
  );
}

type ChangesProps = Pick<Parameters<typeof ChangedFiles>[0], "refName" | "view" | "onView"> & {
  readonly repository: Repository;
  readonly base: string;
  readonly head: string;
};

function Changes({ repository: { id, full_name: repo }, base, head, ...shown }: ChangesProps) {
  const compared = useQuery(compareQuery({ id, ref: shown.refName }, { base, head }));
  if (compared.data === undefined) {
    const failed = "The commits could not be compared";
    return hasStatus(compared.error, 404) ? (
      <ErrorState title={failed} error={compared.error} />
    ) : (
      <Unanswered query={compared} failed={failed} loading={<LoadingRows rows={8} />} />
    );
  }
  return <ChangedFiles {...shown} repo={repo} commit={compared.data.head} answer={compared.data} />;
}
