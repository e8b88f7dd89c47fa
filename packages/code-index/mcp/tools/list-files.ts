import { z } from "zod";
import { listFolder, type FileListing, type ListedEntry } from "#retrieval/files/list-files.ts";
import { fitItems, renderPage } from "#mcp/kit/fit.ts";
import { cursorField, defineTool, textField, oneRepoField, whereFields } from "#mcp/kit/tool.ts";

export const listFilesTool = defineTool({
  name: "list_files",
  title: "List files",
  description: `List the folders and files of a repository at the indexed commit, with their sizes in lines.
To get to know a repository, or with glob to find files by name.`,
  inputSchema: z.strictObject({
    repo: oneRepoField,
    path: textField(4_096, "A folder, such as src/server; the whole repository when left out.", 0).optional(),
    glob: textField(500, "Only files that match, such as src/**/*.test.ts or *.{yml,yaml}.", 0).optional(),
    depth: z.int().min(1).max(100).optional().describe("How deep folders are opened; as deep as fits when left out."),
    ref: whereFields.ref,
    cursor: cursorField,
  }),
  answer: async ({ repo, ref, depth, cursor, ...listing }, { database, access, maxTokens }) => {
    const listed = await listFolder(database, { ...access, repo, ref }, listing);
    const goingOn = readListCursor(listed, cursor);
    const depths = goingOn?.depths ?? (depth === undefined ? DEPTHS : [depth]);
    return answerListFiles(listed, { depths, before: goingOn?.before ?? 0, maxTokens });
  },
});

const OVERHEAD_TOKENS = 150;
/** Tried one after the other until the listing fits. */
const DEPTHS = [undefined, 6, 4, 3, 2, 1];

type Fitting = { readonly depths: readonly (number | undefined)[]; readonly before: number; readonly maxTokens: number };

/** Where a list goes on, folders are opened as deep as they were. */
function readListCursor(listed: FileListing, cursor: string | undefined): Pick<Fitting, "depths" | "before"> | undefined {
  const [, depth, position] = /^(all|\d{1,3})\.(.+)$/u.exec(cursor ?? "") ?? [];
  const before = listed.paging.shownBefore(position ?? cursor);
  return cursor === undefined ? undefined : { depths: [depth === undefined || depth === "all" ? undefined : Number(depth)], before };
}

type Shown = { readonly depth: number | undefined; readonly all: readonly ListedEntry[]; readonly entries: readonly ListedEntry[] };

function answerListFiles(listed: FileListing, { before, ...fitting }: Fitting): string {
  const { all, entries, depth } = fitDepth(listed, { before, ...fitting });
  const after = before + entries.length;
  const next = after < all.length ? `${depth ?? "all"}.${listed.paging.cursorAfter(after)}` : null;
  const closed = entries.some(({ path }) => path.endsWith("/"));
  const notes = [
    ...(next === null ? [] : [`Cut to max_tokens: ${all.length - after} more entries; go on with cursor, or name a path or a glob.`]),
    ...(closed ? ["Open a folder by naming it as path."] : []),
    ...(all.length === 0 ? ["No file matches."] : []),
  ];
  const { repo, ref, commit, total } = listed;
  return renderPage([`${repo}@${commit} (${ref}): ${total} files`, ...entries.map(renderEntry)], { next, notes });
}

/** The deepest listing that fits whole, or the flattest as far as it fits. */
function fitDepth(listed: FileListing, { depths, before, maxTokens }: Fitting): Shown {
  const [depth, ...flatter] = depths;
  const all = listed.entriesAt(depth);
  const rest = all.slice(before);
  // Every line has at least three tokens: a list that is far too long need not be counted.
  const isFarTooLong = flatter.length > 0 && rest.length * 3 > maxTokens;
  const entries = isFarTooLong ? [] : fitItems(rest, { maxTokens: maxTokens - OVERHEAD_TOKENS, render: renderEntry });
  return entries.length < rest.length && flatter.length > 0
    ? fitDepth(listed, { depths: flatter, before, maxTokens })
    : { depth, all, entries };
}

function renderEntry({ path, files, lines, skip_reason: reason }: ListedEntry): string {
  if (path.endsWith("/")) {
    return `${path} (${files} files, ${lines} lines)`;
  }
  return `${path} ${reason === null ? lines : `(not searchable: ${reason})`}`;
}
