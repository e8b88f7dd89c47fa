import { ActionIcon, Anchor, Button, CopyButton, Select, Text, Title, Tooltip } from "@mantine/core";
import type { Repository, SourceFile } from "@sightline/code-index/contract";
import { IconCheck, IconCopy, IconFiles, IconGitBranch, IconLink, IconSearch } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { codeLink } from "#ui/page/code-link.ts";
import { plural } from "#ui/words/format.ts";
import { type LineRange, formatLineRange } from "#features/code/model/line-range.ts";
import { PathCrumbs } from "./path-crumbs.tsx";
import { permalinkTo } from "./permalink.ts";
import classes from "./file-header.module.css";

type RepositoryHeaderProps = {
  readonly repository: Repository;
  /** Undefined: the default one. */
  readonly branch: string | undefined;
  readonly filesShown: boolean;
  readonly onShowFiles: () => void;
  readonly onBranch: (branch: string | undefined) => void;
};

export function RepositoryHeader({ repository, branch, filesShown, onShowFiles, onBranch }: RepositoryHeaderProps) {
  const { refs, default_branch: standard } = repository;
  const commit = refs.find(({ name }) => name === (branch ?? standard))?.indexed_commit ?? null;
  return (
    <header className={classes.repository}>
      <Title order={1} fz="md">
        {repository.full_name}
      </Title>
      {refs.length > 1 || branch !== undefined ? (
        <Select
          size="xs"
          w={190}
          aria-label="Branch"
          leftSection={<IconGitBranch size={14} />}
          data={[...new Set([...refs.map(({ name }) => name), ...(branch === undefined ? [] : [branch])])]}
          value={branch ?? standard}
          allowDeselect={false}
          searchable
          nothingFoundMessage="No such branch is indexed"
          onChange={(name) => onBranch(name === null || name === standard ? undefined : name)}
        />
      ) : (
        standard !== null && <Text c="dimmed">{standard}</Text>
      )}
      {commit !== null && <CopyableId value={commit} label="commit" />}
      <Anchor
        component={Link}
        to="/code/$owner/$repo/commits"
        params={codeLink(repository.full_name).params}
        search={{ ref: branch }}
        size="sm"
      >
        Commits
      </Anchor>
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
          renderRoot={(props) => (
            <Link {...props} to="/code" search={{ repo: repository.full_name, ...(branch === undefined ? {} : { ref: branch }) }} />
          )}
        >
          Search here
        </Button>
      </span>
    </header>
  );
}

type FileHeaderProps = {
  readonly file: SourceFile;
  /** The one that was asked for. */
  readonly branch: string | undefined;
  readonly target: LineRange | undefined;
  /** The commit that a link or a trace led to. */
  readonly linkedCommit: string | undefined;
  readonly lastChanged: ReactNode;
  /** What else can be shown of the file. */
  readonly children: ReactNode;
};

export function FileHeader({ file, branch, target, linkedCommit, lastChanged, children }: FileHeaderProps) {
  return (
    <header className={classes.file}>
      <h2 className={classes.path}>
        <PathCrumbs repo={file.repo} path={file.path} branch={branch} />
        <CopyButton value={file.path} timeout={1_500}>
          {({ copied, copy }) => (
            <ActionIcon size="sm" variant="subtle" color="gray" aria-label={copied ? "Copied" : "Copy the path"} onClick={copy}>
              {copied ? <IconCheck size={13} /> : <IconCopy size={13} />}
            </ActionIcon>
          )}
        </CopyButton>
      </h2>
      <span className={classes.actions}>
        {children}
        <CopyButton value={permalinkTo(window.location, { commit: file.commit, target })} timeout={1_500}>
          {({ copied, copy }) => (
            <Tooltip label={`A link that names commit ${file.commit.slice(0, 8)}`}>
              <Button
                size="compact-xs"
                variant="default"
                leftSection={copied ? <IconCheck size={13} /> : <IconLink size={13} />}
                onClick={copy}
              >
                {copied ? "Copied" : target === undefined ? "Permalink" : `Permalink to ${formatLineRange(target)}`}
              </Button>
            </Tooltip>
          )}
        </CopyButton>
      </span>
      <div className={classes.facts}>
        <Dimmed size="xs">
          {plural(file.total_lines, "line", "lines")} · {file.language}
          {file.truncated && ` · shown up to line ${file.end_line}`}
        </Dimmed>
        {lastChanged}
      </div>
      {linkedCommit !== undefined && !file.commit.startsWith(linkedCommit) && (
        <Text size="xs" className={classes.note} role="note">
          You were led to commit {linkedCommit.slice(0, 8)}; what is indexed is {file.commit.slice(0, 8)}, so lines may have moved.{" "}
          <Anchor
            component={Link}
            to="."
            search={(before: Record<string, unknown>) => ({ ...before, at: linkedCommit, commit: undefined })}
            hash={true}
            size="xs"
            td="underline"
          >
            Show it as it was
          </Anchor>{" "}
          <Anchor
            component={Link}
            to="."
            search={(before: Record<string, unknown>) => ({ ...before, commit: undefined })}
            hash={true}
            size="xs"
            td="underline"
          >
            Hide
          </Anchor>
        </Text>
      )}
    </header>
  );
}
