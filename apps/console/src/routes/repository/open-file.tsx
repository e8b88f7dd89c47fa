import { useQuery } from "@tanstack/react-query";
import { fileQuery } from "#features/code/api/files.ts";
import { AtCommitNote } from "#features/code/file/at-commit-note.tsx";
import { useBlame } from "#features/code/file/blame-margin.tsx";
import { FileHeader } from "#features/code/file/file-header.tsx";
import { FileView } from "#features/code/file/file-view.tsx";
import { LastChanged } from "#features/code/file/history-panel.tsx";
import { hasStatus } from "#http/api-error.ts";
import { Unanswered } from "#ui/kit/list-states.tsx";
import { MarkdownText } from "#ui/markdown/markdown-text.tsx";
import { FileSide } from "./file-side.tsx";
import { FileToggles } from "./file-toggles.tsx";
import { MissingFile } from "./missing-file.tsx";
import classes from "./open-file.module.css";
import { type RepositoryFile, useFileAddress } from "./use-file-address.ts";
import { useFileNames } from "./use-file-names.ts";
import { WaitingRows } from "./waiting-rows.tsx";

/** One file, with what the address asks for beside it. */
export function OpenFile({ repository, path }: RepositoryFile) {
  const address = useFileAddress();
  const { ref, at, blame, panel, target, view, aim, show, showName } = address;
  const branch = { id: repository.id, ref };
  const query = useQuery(fileQuery(branch, path, at));
  const file = query.data;
  const commit = file?.commit ?? "";
  const marginOf = useBlame(branch, { path, commit, isShown: blame !== undefined && file !== undefined });
  const { names, marks, follow } = useFileNames({ repository, path }, address, commit);
  if (file === undefined) {
    return hasStatus(query.error, 404) ? (
      <MissingFile repository={repository} path={path} address={address} />
    ) : (
      <Unanswered query={query} failed={`${path} could not be opened`} loading={<WaitingRows rows={16} height={16} />} />
    );
  }
  const isMarkdown = file.language === "markdown";
  // A line is one of the text as it is written.
  const isPreview = isMarkdown && view !== "source" && target === undefined && blame === undefined;
  return (
    <>
      <FileHeader
        file={file}
        branch={ref}
        target={target}
        linkedCommit={address.commit}
        lastChanged={<LastChanged branch={branch} path={path} />}
      >
        <FileToggles address={address} isPreview={isMarkdown ? isPreview : undefined} />
      </FileHeader>
      {at !== undefined && <AtCommitNote repo={repository.full_name} refName={ref} commit={commit} />}
      <div className={classes.content} data-panel={panel !== undefined || undefined}>
        {isPreview ? (
          <section className={classes.preview} aria-label={`Preview of ${path}`} tabIndex={0}>
            <MarkdownText asDocument text={file.content} />
          </section>
        ) : (
          <FileView
            file={file}
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
        {panel !== undefined && <FileSide panel={panel} repository={repository} path={path} commit={commit} address={address} />}
      </div>
    </>
  );
}
