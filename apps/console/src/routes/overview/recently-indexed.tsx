import type { Repository } from "@sightline/code-index/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { activeJobsQuery, repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { codeLink } from "#ui/page/code-link.ts";
import { plural } from "#ui/words/format.ts";
import { JobProgress } from "#ui/words/job-progress.tsx";
import { LoadingRows } from "#ui/kit/list-states.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { Panel, PanelNote } from "./panel.tsx";
import panel from "./panel.module.css";

const SHOWN = 5;

export function RecentlyIndexed() {
  const repositories = useQuery(repositoriesQuery);
  const jobs = useQuery(activeJobsQuery);
  const running = (jobs.data ?? []).filter(({ status }) => status === "running").slice(0, SHOWN);
  const indexed = newestFirst(repositories.data ?? [])
    .filter(({ id }) => running.every(({ repo_id: busy }) => busy !== id))
    .slice(0, SHOWN - running.length);
  const isEmpty = running.length + indexed.length === 0;
  return (
    <Panel
      title="Recently indexed"
      aside={
        <Link to="/code/repos" className={panel.link}>
          All repositories
        </Link>
      }
    >
      {repositories.data === undefined && repositories.error === null && (
        <div className={panel.loading}>
          <LoadingRows rows={1} height={24} />
        </div>
      )}
      {repositories.data === undefined && repositories.error !== null && (
        <PanelNote role="alert">Unavailable: {repositories.error.message}</PanelNote>
      )}
      {repositories.data !== undefined && isEmpty && <PanelNote>No repository is indexed yet.</PanelNote>}
      {!isEmpty && (
        <ul className={panel.rows}>
          {running.map((job) => (
            <li key={job.job_id}>
              <div className={panel.words}>
                <span className={panel.name}>{job.full_name}</span>
              </div>
              <JobProgress job={job} />
            </li>
          ))}
          {indexed.map(({ id, full_name: name, files, indexed_commit: commit, indexed_at: at }) => (
            <li key={id}>
              <div className={panel.words}>
                <Link {...codeLink(name)} className={panel.link}>
                  {name}
                </Link>
                <span className={panel.quiet}>{plural(files, "file", "files")}</span>
              </div>
              {commit !== null && <CopyableId value={commit} label="commit" />}
              {at !== null && (
                <span className={panel.aside}>
                  <TimeStamp at={at} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function newestFirst(repositories: readonly Repository[]): readonly Repository[] {
  return repositories
    .filter(({ indexed_at: at }) => at !== null)
    .toSorted((one, other) => (other.indexed_at ?? "").localeCompare(one.indexed_at ?? ""));
}
