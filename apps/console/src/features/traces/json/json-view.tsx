import { TextInput } from "@mantine/core";
import { useClipboard, useElementSize } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import type { LoadWhole } from "#features/traces/api/payloads.ts";
import {
  IconArrowDown,
  IconArrowUp,
  IconCheck,
  IconCopy,
  IconDownload,
  IconFold,
  IconFoldDown,
  IconRoute2,
  IconSearch,
} from "@tabler/icons-react";
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import {
  findInJson,
  idOf,
  isTruncated,
  type JsonPath,
  type JsonRow,
  jsonRows,
  openDepth,
  pathText,
  MAX_ROWS,
  valueAt,
  withValueAt,
} from "./json-rows.ts";
import { IconButton } from "#ui/kit/icon-button.tsx";
import { saveJson } from "#ui/kit/save-file.ts";
import { VirtualTree } from "#ui/kit/virtual-tree.tsx";
import { JsonRowView } from "./json-row.tsx";
import classes from "./json-view.module.css";

const ROW_HEIGHT = 22;
/** Pixels of a character, and of what stands beside a row's text. */
const [LETTER, BESIDE] = [7.6, 56];
/** Rows that are open from the start. */
const OPEN_ROWS = 250;

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
  const [loaded, setLoaded] = useState<{ readonly of: unknown; readonly value: unknown }>({ of: given, value: given });
  const value = loaded.of === given ? loaded.value : given;
  const [folds, setFolds] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [base, setBase] = useState<number>();
  const [selected, setSelected] = useState<JsonPath>([]);
  const [typed, setTyped] = useState("");
  const words = useDeferredValue(typed).trim().toLowerCase();
  const depth = useMemo(() => base ?? openDepth(value, OPEN_ROWS), [base, value]);
  const { ref, width } = useElementSize();
  const columns = width === 0 ? undefined : Math.floor((width - BESIDE) / LETTER);
  const rows = useMemo(
    () => jsonRows(value, (id, path, at) => folds.get(id) ?? (path.length < depth && !(base === undefined && isTruncated(at))), columns),
    [value, folds, depth, base, columns],
  );
  const found = useMemo(() => findInJson(value, words), [value, words]);
  const [matched, setMatched] = useState({ words: "", at: 0 });
  // Other words begin at the first place.
  const match = matched.words === words ? matched.at : 0;
  const loading = useLoading();

  function toggle({ id, expanded }: JsonRow): void {
    setFolds((before) => new Map(before).set(id, expanded !== true));
  }

  function goTo(next: number): void {
    const at = (next + found.paths.length) % found.paths.length;
    const path = found.paths[at];
    if (path !== undefined) {
      setMatched({ words, at });
      setFolds((before) => new Map([...before, ...path.map((_key, index) => [idOf(path.slice(0, index)), true] as const)]));
      setSelected(path);
    }
  }

  async function load(row: JsonRow): Promise<void> {
    if (onLoad !== undefined && isTruncated(row.value)) {
      const part = row.value;
      const whole = await loading.run(row.id, (signal, onProgress) => onLoad(part, signal, onProgress));
      if (whole !== undefined) {
        setLoaded((before) => ({ of: given, value: withValueAt(before.of === given ? before.value : given, row.path, whole) }));
      }
    }
  }

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
          <TextInput
            size="xs"
            className={classes.search}
            aria-label={`Search in ${label}`}
            placeholder="Search"
            leftSection={<IconSearch size={14} />}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter") {
                event.preventDefault();
                goTo(selected.length === 0 ? 0 : match + (event.shiftKey ? -1 : 1));
              }
            }}
          />
          {words !== "" && (
            <span className={classes.count} role="status">
              {found.paths.length === 0 ? "nothing" : `${match + 1} of ${found.paths.length}${found.isCut ? "+" : ""}`}
            </span>
          )}
          <IconButton label="Previous match" disabled={found.paths.length === 0} onClick={() => goTo(match - 1)}>
            <IconArrowUp size={15} />
          </IconButton>
          <IconButton label="Next match" disabled={found.paths.length === 0} onClick={() => goTo(match + 1)}>
            <IconArrowDown size={15} />
          </IconButton>
          <IconButton label="Open everything" onClick={() => (setFolds(new Map()), setBase(100))}>
            <IconFoldDown size={15} />
          </IconButton>
          <IconButton label="Fold everything" onClick={() => (setFolds(new Map()), setBase(1))}>
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
          selected={idOf(selected)}
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
              words={words}
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

/** One value at a time; leaving the page ends it. */
function useLoading() {
  const [state, setState] = useState<{ readonly of: string | undefined; readonly share: number }>({ of: undefined, share: 0 });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  return {
    ...state,
    run: async (of: string, task: (signal: AbortSignal, onProgress: (share: number) => void) => Promise<unknown>): Promise<unknown> => {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      setState({ of, share: 0 });
      try {
        return await task(controller.signal, (share) => setState({ of, share }));
      } catch (error) {
        if (!controller.signal.aborted) {
          notifications.show({
            color: "red",
            title: "The value could not be loaded",
            message: error instanceof Error ? error.message : String(error),
          });
        }
        return undefined;
      } finally {
        setState((before) => (before.of === of ? { of: undefined, share: 0 } : before));
      }
    },
  };
}

/** The text is made when it is asked for: of a large value it is long work. */
function CopyAction({ label, read, children }: { readonly label: string; readonly read: () => string; readonly children: ReactNode }) {
  const { copied, copy } = useClipboard({ timeout: 1_500 });
  return (
    <IconButton label={copied ? "Copied" : label} onClick={() => copy(read())}>
      {copied ? <IconCheck size={15} /> : children}
    </IconButton>
  );
}
