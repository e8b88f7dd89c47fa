import { Anchor, Button, Text } from "@mantine/core";
import type { Commit, Repository } from "@sightline/code-index/contract";
import { IconExternalLink } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { commitQuery } from "#features/code/api/commits.ts";
import { ChangedFiles } from "#features/code/commit/changed-files.tsx";
import { CommitLink } from "#ui/page/commit-link.tsx";
import { CompareLink } from "#features/code/commit/compare-link.tsx";
import { toHostLink } from "#features/code/commit/host-link.ts";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { ErrorState, LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { hasStatus } from "#http/api-error.ts";
import { codeLink } from "#ui/page/code-link.ts";
import { PageHeader } from "#ui/page/page-header.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import { RepositoryNamed } from "./repository-named.tsx";
import classes from "./commit-page.module.css";

const route = getRouteApi("/signed-in/code/$owner/$repo/commit/$commit");

/** A commit with what it changed. */
export function CommitPage() {
  return <RepositoryNamed {...route.useParams()}>{(repository) => <Shown repository={repository} />}</RepositoryNamed>;
}

function Shown({ repository }: { readonly repository: Repository }) {
  const { commit } = route.useParams();
  const { ref, view } = route.useSearch();
  const navigate = route.useNavigate();
  const found = useQuery(commitQuery({ id: repository.id, ref }, commit));
  if (found.data === undefined) {
    const failed = `Commit ${commit.slice(0, 12)} could not be loaded`;
    return hasStatus(found.error, 404) ? (
      <ErrorState order={1} title={failed} error={found.error}>
        <Button
          component={Link}
          variant="default"
          to="/code/$owner/$repo/commits"
          params={codeLink(repository.full_name).params}
          search={{ ref }}
        >
          All commits
        </Button>
      </ErrorState>
    ) : (
      <>
        <PageHeader title={`Commit ${commit.slice(0, 12)}`} documentTitle={`Commit ${commit.slice(0, 12)} · ${repository.full_name}`} />
        <Unanswered query={found} failed={failed} loading={<LoadingRows rows={8} />} />
      </>
    );
  }
  return (
    <>
      <Head repository={repository} commit={found.data.commit} refName={ref} />
      <ChangedFiles
        repo={repository.full_name}
        refName={ref}
        commit={found.data.commit.commit}
        answer={found.data}
        view={view === "split" ? "split" : "unified"}
        onView={(next) => void navigate({ search: (before) => ({ ...before, view: next }), replace: true, resetScroll: false })}
      />
    </>
  );
}

type HeadProps = {
  readonly repository: Repository;
  readonly commit: Commit;
  readonly refName: string | undefined;
};

function Head({ repository, commit, refName }: HeadProps) {
  const { full_name: repo, clone_url: cloneUrl } = repository;
  const { commit: id, subject, body, author, author_email: email, committed_at: at, parents } = commit;
  const host = toHostLink(cloneUrl, id);
  return (
    <>
      <PageHeader
        title={<SafeText text={subject} />}
        documentTitle={`${subject.slice(0, 60)} · ${repo}`}
        description={
          <span className={classes.facts}>
            <Anchor component={Link} {...codeLink(repo)} search={{ ref: refName }} inherit>
              {repo}
            </Anchor>
            <CopyableId value={id} label="commit" />
            <span title={email}>
              <SafeText text={author} />
            </span>
            <TimeStamp at={at} />
            {parents.map((parent) => (
              <span key={parent}>
                parent{" "}
                <CommitLink repo={repo} refName={refName} commit={parent}>
                  {parent.slice(0, 8)}
                </CommitLink>
              </span>
            ))}
            <CompareLink repo={repo} refName={refName} head={id}>
              Compare with…
            </CompareLink>
          </span>
        }
      >
        {host !== undefined && (
          <Button
            component="a"
            href={host}
            target="_blank"
            rel="noreferrer"
            size="xs"
            variant="default"
            leftSection={<IconExternalLink size={14} />}
          >
            At the host
          </Button>
        )}
      </PageHeader>
      {body !== "" && (
        <Text component="pre" className={classes.body}>
          <SafeText text={body} />
        </Text>
      )}
    </>
  );
}
