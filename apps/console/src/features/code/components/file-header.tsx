import { Anchor, Button, CopyButton, Text, Title } from "@mantine/core";
import type { Repository, SourceFile } from "@sightline/code-index/contract";
import { IconCheck, IconFiles, IconLink, IconSearch } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { CopyableId } from "#ui/copyable.tsx";
import { plural } from "#ui/format.ts";
import { type LineRange, formatLineRange } from "#features/code/line-range.ts";
import classes from "./file-header.module.css";

export function RepositoryHeader({
  repository,
  filesShown,
  onShowFiles,
}: {
  readonly repository: Repository;
  readonly filesShown: boolean;
  readonly onShowFiles: () => void;
}) {
  return (
    <header className={classes.repository}>
      <Title order={1} fz="md">
        {repository.full_name}
      </Title>
      {repository.default_branch !== null && <Text c="dimmed">{repository.default_branch}</Text>}
      {repository.indexed_commit !== null && <CopyableId value={repository.indexed_commit} label="commit" />}
      <span className={classes.actions}>
        <Button
          className={classes.files ?? ""}
          size="xs"
          variant="default"
          leftSection={<IconFiles size={14} />}
          aria-pressed={filesShown}
          onClick={onShowFiles}
        >
          Files
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconSearch size={14} />}
          renderRoot={(props) => <Link {...props} to="/code" search={{ repo: repository.full_name }} />}
        >
          Search here
        </Button>
      </span>
    </header>
  );
}

export function FileHeader({
  file,
  target,
  ranAt,
}: {
  readonly file: SourceFile;
  readonly target: LineRange | undefined;
  /** The commit that ran, where a trace led here. */
  readonly ranAt: string | undefined;
}) {
  const names = file.path.split("/");
  return (
    <header className={classes.file}>
      <h2 className={classes.path}>
        {names.slice(0, -1).map((name, index) => (
          <span key={index} className={classes.folder}>
            {name}/
          </span>
        ))}
        {names.at(-1)}
      </h2>
      <Text size="xs" c="dimmed">
        {plural(file.total_lines, "line", "lines")} · {file.language}
        {file.truncated && ` · shown up to line ${file.end_line}`}
      </Text>
      <CopyButton value={permalink(target)} timeout={1_500}>
        {({ copied, copy }) => (
          <Button
            size="compact-xs"
            variant="default"
            className={classes.link ?? ""}
            leftSection={copied ? <IconCheck size={13} /> : <IconLink size={13} />}
            onClick={copy}
          >
            {copied ? "Copied" : target === undefined ? "Copy link" : `Copy link to ${formatLineRange(target)}`}
          </Button>
        )}
      </CopyButton>
      {ranAt !== undefined && !file.commit.startsWith(ranAt) && (
        <Text size="xs" className={classes.note} role="note">
          The trace ran commit {ranAt.slice(0, 8)}; this is {file.commit.slice(0, 8)}, so lines may have moved.{" "}
          <Anchor component={Link} to="." search={{ path: file.path }} hash={true} size="xs" td="underline">
            Hide
          </Anchor>
        </Text>
      )}
    </header>
  );
}

function permalink(target: LineRange | undefined): string {
  const { origin, pathname, search } = window.location;
  return `${origin}${pathname}${search}${target === undefined ? "" : `#${formatLineRange(target)}`}`;
}
