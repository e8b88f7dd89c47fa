import { Anchor, Group, SegmentedControl } from "@mantine/core";
import type { FileChange } from "@sightline/code-index/contract";
import { Link } from "@tanstack/react-router";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { codeLink } from "#ui/page/code-link.ts";
import { plural } from "#ui/words/format.ts";
import { AnswerNotes } from "#ui/kit/answer-notes.tsx";
import { type DiffView, FileDiff } from "./file-diff.tsx";

type ChangedFilesProps = {
  readonly repo: string;
  readonly refName: string | undefined;
  /** The commit that the files are looked at in. */
  readonly commit: string;
  readonly answer: { readonly changes: readonly FileChange[]; readonly changes_total: number | null; readonly notes: readonly string[] };
  readonly view: DiffView;
  readonly onView: (view: DiffView) => void;
};

/** Lines that are laid out when the page opens; the files beyond are opened by whoever wants to see them. */
const MAX_LINES = 2_000;

export function ChangedFiles({ repo, refName, commit, answer, view, onView }: ChangedFilesProps) {
  const { changes, changes_total: total, notes } = answer;
  const added = changes.reduce((sum, change) => sum + change.added, 0);
  const deleted = changes.reduce((sum, change) => sum + change.deleted, 0);
  const lines = changes.map((change) => change.added + change.deleted);
  const startsOpen = (index: number) => lines.slice(0, index + 1).reduce((sum, count) => sum + count, 0) <= MAX_LINES;
  return (
    <>
      <AnswerNotes partial={undefined} notes={notes} error={null} />
      <Group justify="space-between" mt="md">
        <Dimmed>
          {plural(total ?? changes.length, "file", "files")} changed, {plural(added, "line", "lines")} added, {deleted} deleted
        </Dimmed>
        <SegmentedControl
          size="xs"
          aria-label="How the changes are laid out"
          data={[
            { value: "unified", label: "Unified" },
            { value: "split", label: "Side by side" },
          ]}
          value={view}
          onChange={(chosen) => onView(chosen === "split" ? "split" : "unified")}
        />
      </Group>
      {changes.map((change, index) => (
        <FileDiff key={change.path} change={change} view={view} startsOpen={startsOpen(index) && change.left_out === null}>
          {change.status !== "deleted" && (
            <Anchor component={Link} size="xs" {...codeLink(repo)} search={{ path: change.path, at: commit, ref: refName }}>
              View file
            </Anchor>
          )}
        </FileDiff>
      ))}
    </>
  );
}
