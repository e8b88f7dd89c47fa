import { useElementSize } from "@mantine/hooks";
import { IconCopy, IconDownload, IconFold, IconFoldDown, IconRoute2 } from "@tabler/icons-react";
import { useState } from "react";
import type { LoadWhole } from "#features/traces/api/payloads.ts";
import { IconButton } from "#ui/kit/icon-button.tsx";
import { saveJson } from "#ui/kit/save-file.ts";
import { VirtualTree } from "#ui/kit/virtual-tree.tsx";
import { CopyAction } from "./copy-action.tsx";
import { JsonRowView } from "./json-row.tsx";
import { type JsonPath, MAX_ROWS, toRowId, isTruncated, pathText, valueAt } from "./json-rows.ts";
import { JsonSearchField } from "./json-search-field.tsx";
import classes from "./json-view.module.css";
import { useJsonFolds } from "./use-json-folds.ts";
import { useJsonParts } from "./use-json-parts.ts";
import { useJsonSearch } from "./use-json-search.ts";

const ROW_HEIGHT = 22;
/** Pixels of a character, and of what stands beside a row's text. */
const [LETTER, BESIDE] = [7.6, 56];
/** Deeper than any value is. */
const EVERYTHING = 100;

type JsonViewProps = {
  readonly value: unknown;
  readonly label: string;
  /** Pixels at the most; without it, it fills what is around it. */
  readonly height?: number;
  readonly fileName: string;
  /** One of several beside each other: with no more than a button to copy it. */
  readonly compact?: boolean;
  readonly onLoad?: LoadWhole | undefined;
};

/** A JSON value of any size: a tree that folds, with search, and with what stands in it to take away. */
export function JsonView({ value: given, label, height, fileName, compact = false, onLoad }: JsonViewProps) {
  const { value, loading, load } = useJsonParts(given, onLoad);
  const { ref, width } = useElementSize();
  const { rows, toggle, reveal, openTo } = useJsonFolds(value, width === 0 ? undefined : Math.floor((width - BESIDE) / LETTER));
  const [selected, setSelected] = useState<JsonPath>([]);
  const search = useJsonSearch(value, (path) => {
    reveal(path);
    setSelected(path);
  });
  const copyValue = (
    <CopyAction label="Copy the value" read={() => textOf(valueAt(value, selected))}>
      <IconCopy size={15} />
    </CopyAction>
  );
  return (
    <div
      className={classes.view}
      data-fills={height === undefined || undefined}
      data-compact={compact || undefined}
      style={height === undefined ? {} : { height: Math.min(height, rows.length * ROW_HEIGHT + (compact ? 10 : 74)) }}
    >
      {compact && <div className={classes.corner}>{copyValue}</div>}
      {!compact && (
        <div className={classes.bar}>
          <JsonSearchField label={label} search={search} isAtRoot={selected.length === 0} />
          <IconButton label="Open everything" onClick={() => openTo(EVERYTHING)}>
            <IconFoldDown size={15} />
          </IconButton>
          <IconButton label="Fold everything" onClick={() => openTo(1)}>
            <IconFold size={15} />
          </IconButton>
          <CopyAction label="Copy the path" read={() => pathText(value, selected)}>
            <IconRoute2 size={15} />
          </CopyAction>
          {copyValue}
          <IconButton label="Download" onClick={() => saveJson(value, fileName)}>
            <IconDownload size={15} />
          </IconButton>
        </div>
      )}
      <div ref={ref} className={classes.rows}>
        <VirtualTree
          label={label}
          rows={rows}
          rowHeight={ROW_HEIGHT}
          selected={toRowId(selected)}
          onSelect={(row) => {
            setSelected(row.path);
            if (isTruncated(row.value)) {
              void load(row);
            }
          }}
          onToggle={toggle}
        >
          {(row) => (
            <JsonRowView
              row={row}
              words={search.words}
              loading={loading.of === row.id ? loading.share : undefined}
              onToggle={() => toggle(row)}
              onLoad={onLoad === undefined ? undefined : () => void load(row)}
            />
          )}
        </VirtualTree>
      </div>
      {!compact && (
        <div className={classes.foot}>
          {pathText(value, selected)}
          {rows.length >= MAX_ROWS && " · only the first 100,000 rows are shown: fold something, or download it"}
        </div>
      )}
    </div>
  );
}

/** A text as it is, anything else as JSON. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}
