import { Anchor, Button, Text } from "@mantine/core";
import type { Commit, Repository } from "@sightline/code-index/contract";
import { IconExternalLink, IconGitCommit } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { commitQuery, compareQuery } from "#features/code/api/commits.ts";
import { ChangedFiles } from "#features/code/commit/changed-files.tsx";
import { CommitLink } from "#features/code/commit/commit-link.tsx";
import { hostLinkOf } from "#features/code/commit/host-link.ts";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { EmptyPanel, LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { codeLink } from "#ui/page/code-link.ts";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import classes from "./commit-page.module.css";

const route = getRouteApi("/signed-in/code/$owner/$repo/commit/$commit");

/** A commit with what it changed; or, with a base, what changed since that one. */
export function CommitPage() {
  const { owner, repo } = route.useParams();
  const fullName = `${owner}/${repo}`;
  const repositories = useQuery(repositoriesQuery);
  const repository = repositories.data?.find(({ full_name: name }) => name === fullName);
  return (
    <WidePage>
      {repository !== undefined && <Shown repository={repository} />}
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

function Shown({ repository }: { readonly repository: Repository }) {
  const { commit } = route.useParams();
  const { ref, view, base } = route.useSearch();
  const navigate = route.useNavigate();
  const branch = { id: repository.id, ref };
  const found = useQuery(commitQuery(branch, commit));
  const compared = useQuery({ ...compareQuery(branch, { base: base ?? "", head: commit }), enabled: base !== undefined });
  const answer = base === undefined ? found : compared;
  if (found.data === undefined || answer.data === undefined) {
    const failed = found.error === null ? answer : found;
    return <Unanswered query={failed} failed={`Commit ${commit.slice(0, 12)} could not be loaded`} loading={<LoadingRows rows={8} />} />;
  }
  return (
    <>
      <Head repository={repository} commit={found.data.commit} refName={ref} base={base} />
      <ChangedFiles
        repo={repository.full_name}
        refName={ref}
        commit={found.data.commit.commit}
        answer={answer.data}
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
  readonly base: string | undefined;
};

function Head({ repository, commit, refName, base }: HeadProps) {
  const { full_name: repo, clone_url: cloneUrl } = repository;
  const { commit: id, subject, body, author, author_email: email, committed_at: at, parents } = commit;
  const host = hostLinkOf(cloneUrl, id);
  return (
    <>
      <PageHeader
        title={base === undefined ? subject : `Changes from ${base.slice(0, 8)} to ${id.slice(0, 8)}`}
        documentTitle={`${subject.slice(0, 60)} · ${repo}`}
        description={
          <span className={classes.facts}>
            <Anchor component={Link} {...codeLink(repo)} search={{ ref: refName }} inherit>
              {repo}
            </Anchor>
            <CopyableId value={id} label="commit" />
            <span title={email}>{author}</span>
            <TimeStamp at={at} />
            {base === undefined ? (
              parents.map((parent) => (
                <span key={parent}>
                  parent{" "}
                  <CommitLink repo={repo} refName={refName} commit={parent}>
                    {parent.slice(0, 8)}
                  </CommitLink>
                </span>
              ))
            ) : (
              <CommitLink repo={repo} refName={refName} commit={id}>
                This commit alone
              </CommitLink>
            )}
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
      {body !== "" && base === undefined && (
        <Text component="pre" className={classes.body}>
          {body}
        </Text>
      )}
    </>
  );
}
