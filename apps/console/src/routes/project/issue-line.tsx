import { Paper, Title } from "@mantine/core";
import type { Repository } from "@sightline/code-index/contract";
import { type IssueDetail, repositoryName } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { blameQuery } from "#features/code/api/commits.ts";
import { fileLinesQuery } from "#features/code/api/files.ts";
import { CodeLine } from "#features/code/highlight/code-line.tsx";
import { useHighlighted } from "#features/code/highlight/use-highlighted.ts";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { CommitLink } from "#ui/page/commit-link.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { formatDuration, plural } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./issue-line.module.css";

const AROUND = 3;
const DAY_MS = 86_400_000;

type Place = NonNullable<IssueDetail["first_where"]>;

/** The line that its first trace ran, as the code index lets this reader see it; nothing where it knows no such repository or commit. */
export function IssueLine({ issue: { first_where: place, first_seen: first } }: { readonly issue: IssueDetail }) {
  const repositories = useQuery({ ...repositoriesQuery, enabled: place?.repo !== undefined });
  const name = repositoryName(place?.repo ?? "");
  const repository = repositories.data?.find(({ full_name: fullName }) => fullName === name);
  if (place?.commit === undefined || repository === undefined) {
    return null;
  }
  return <Lines repository={repository} place={place} commit={place.commit} first={first} />;
}

type LinesProps = { readonly repository: Repository; readonly place: Place; readonly commit: string; readonly first: string };

function Lines({ repository: { id, full_name: repo }, place: { file: path, line }, commit, first }: LinesProps) {
  const branch = { id, ref: undefined };
  const file = useQuery({
    ...fileLinesQuery(branch, { path, commit, start: Math.max(1, line - AROUND), end: line + AROUND }),
    retry: false,
  });
  const blame = useQuery({ ...blameQuery(branch, { path, commit, start: line, end: line }), retry: false });
  const content = file.data?.content;
  const lines = useMemo(() => content?.replace(/\n$/u, "").split("\n") ?? [], [content]);
  const coloured = useHighlighted(lines, file.data?.language ?? "");
  if (file.data === undefined) {
    return null;
  }
  const { start_line: start } = file.data;
  const changed = blame.data?.commits[0];
  return (
    <Paper component="section" aria-label="Line" p="md">
      <Title order={2} size="h4">
        The line its first trace ran
      </Title>
      {changed !== undefined && (
        <Dimmed>
          Changed in{" "}
          <CommitLink repo={repo} refName={undefined} commit={changed.commit} className={classes.commit} title={changed.subject}>
            {changed.commit.slice(0, 7)}
          </CommitLink>{" "}
          by <SafeText text={changed.author} />, {sinceInWords(Date.parse(first) - Date.parse(changed.committed_at))}:{" "}
          <SafeText text={changed.subject} />
        </Dimmed>
      )}
      <pre className={classes.lines} tabIndex={0} aria-label={`Lines of ${path}`}>
        {lines.map((text, at) => (
          <div key={start + at} data-target={start + at === line || undefined}>
            <span className={classes.number}>{start + at}</span>
            <CodeLine text={text} tokens={coloured[at]} />
          </div>
        ))}
      </pre>
    </Paper>
  );
}

/** How long before the first trace; clocks may differ. */
function sinceInWords(ms: number): string {
  if (ms < 0) {
    return "about when it was first seen";
  }
  return `${ms < DAY_MS ? formatDuration(ms) : plural(Math.floor(ms / DAY_MS), "day", "days")} before it was first seen`;
}
