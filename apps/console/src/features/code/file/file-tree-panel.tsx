import { CloseButton, TextInput } from "@mantine/core";
import type { Tree } from "@sightline/code-index/contract";
import { IconChevronRight, IconFile, IconFolder, IconFolderOpen } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { typedInto } from "#ui/kit/typed-into.ts";
import { VirtualTree } from "#ui/kit/virtual-tree.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import { type FileTreeRow, buildFileTree, listFolders, visibleRows } from "./file-tree.ts";
import classes from "./file-tree-panel.module.css";

const INDENT = 14;
const NONE: ReadonlySet<string> = new Set();

type FileTreePanelProps = { readonly files: Tree["files"]; readonly selected: string | undefined; readonly onOpen: (path: string) => void };

export function FileTreePanel({ files, selected, onOpen }: FileTreePanelProps) {
  const [filter, setFilter] = useState("");
  const [open, setOpen] = useState(NONE);
  const [revealed, setRevealed] = useState<string>();
  const rows = useMemo(() => rowsOf(files, filter.trim().toLowerCase(), open), [files, filter, open]);

  // A newly selected file is made visible, wherever it lies.
  if (selected !== revealed) {
    setRevealed(selected);
    setOpen(new Set([...open, ...listFolders(selected ?? "")]));
  }

  function toggle(row: FileTreeRow): void {
    setOpen((before) => (before.has(row.id) ? new Set([...before].filter((path) => path !== row.id)) : new Set([...before, row.id])));
  }

  return (
    <div className={classes.panel}>
      <div className={classes.filter}>
        <TextInput
          size="xs"
          aria-label="Filter files"
          placeholder="Filter files"
          {...typedInto(filter, setFilter)}
          rightSection={filter === "" ? null : <CloseButton size="xs" aria-label="Clear the filter" onClick={() => setFilter("")} />}
        />
      </div>
      <div className={classes.tree}>
        {rows.length === 0 ? (
          <p className={classes.none}>{files.length === 0 ? "No file is indexed." : `No file path contains “${filter}”.`}</p>
        ) : (
          <VirtualTree
            label="Files"
            rows={rows}
            rowHeight={28}
            selected={selected}
            onToggle={toggle}
            onSelect={(row) => (row.kind === "folder" ? toggle(row) : onOpen(row.id))}
          >
            {(row) => (
              <span className={classes.row} style={{ paddingLeft: 10 + row.depth * INDENT }}>
                <IconChevronRight
                  size={13}
                  className={classes.chevron}
                  data-kind={row.kind}
                  data-open={row.expanded || undefined}
                  aria-hidden="true"
                />
                <RowIcon row={row} />
                <span className={classes.name} title={row.id}>
                  <SafeText text={row.name} />
                </span>
              </span>
            )}
          </VirtualTree>
        )}
      </div>
    </div>
  );
}

function RowIcon({ row }: { readonly row: FileTreeRow }) {
  const Icon = row.kind === "file" ? IconFile : row.expanded === true ? IconFolderOpen : IconFolder;
  return <Icon size={15} className={classes.icon} aria-hidden="true" />;
}

/** The rows of the tree: with a filter the files that match, as a flat list; else the folders. */
function rowsOf(files: Tree["files"], filter: string, open: ReadonlySet<string>): readonly FileTreeRow[] {
  if (filter === "") {
    return visibleRows(buildFileTree(files.map(({ path }) => path)), open);
  }
  return files
    .filter(({ path }) => path.toLowerCase().includes(filter))
    .map(({ path }) => ({ id: path, name: path, depth: 0, kind: "file", expanded: undefined }));
}
