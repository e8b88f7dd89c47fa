import type { SourceFile } from "@sightline/code-index/contract";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useId, useMemo, useRef } from "react";
import { useHighlighted } from "#features/code/highlight/use-highlighted.ts";
import { type LineRange, formatLineRange, inRange } from "#features/code/model/line-range.ts";
import { clickedWord } from "./word-at.ts";
import { NameCard } from "./name-card.tsx";
import { NameLine } from "./name-line.tsx";
import type { Names } from "./name-ranges.ts";
import { nameAt, useNameCard, type ShownName } from "./use-name-card.ts";
import classes from "./file-view.module.css";

const LINE_HEIGHT = 20;
/** What stands in the margin is clicked: 24 pixels at the least (WCAG 2.2). */
const LINE_HEIGHT_WITH_MARGIN = 24;
const TAB_WIDTH = 4;

/** The name, and where in the file it stands: `path:line:column`. */
type OnName = (name: string, position: string) => void;

type FileViewProps = {
  readonly file: SourceFile;
  readonly target: LineRange | undefined;
  readonly onTarget: (range: LineRange) => void;
  /** Names that can be followed. */
  readonly names: Names;
  /** What stands behind lines, and what a click on it does. */
  readonly marks: ReadonlyMap<number, string>;
  readonly onMark: (line: number) => void;
  /** The branch that was asked for. */
  readonly branch: string | undefined;
  /** A name in the code was clicked. */
  readonly onName: OnName;
  /** A click with Ctrl or ⌘ opens the definition of the name. */
  readonly onFollow: OnName;
  /** What stands before a line's number. */
  readonly marginOf?: ((line: number) => ReactNode) | undefined;
};

/**
 * A file of any length; only its visible lines exist. A click on a line's number makes it the target, shift-click a range; with the
 * keyboard Alt and an arrow move it, and the tab key walks through its names.
 */
export function FileView({ file, target, onTarget, names, marks, onMark, branch, onName, onFollow, marginOf }: FileViewProps) {
  const card = useNameCard();
  const cardId = useId();
  const box = useRef<HTMLElement>(null);
  const lines = useMemo(() => linesOf(file.content), [file.content]);
  const columns = useMemo(() => Math.max(...lines.map(width)), [lines]);
  const coloured = useHighlighted(lines, file.language);
  const lineHeight = marginOf === undefined ? LINE_HEIGHT : LINE_HEIGHT_WITH_MARGIN;
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => lineHeight,
    overscan: 30,
    paddingStart: 8,
    paddingEnd: 40,
  });

  useEffect(() => virtual.measure(), [virtual, lineHeight]);

  const start = target?.start;
  useEffect(() => {
    if (start !== undefined && !isVisible(virtual.range, start - file.start_line)) {
      virtual.scrollToIndex(Math.min(lines.length - 1, start - file.start_line), { align: "center" });
    }
    // oxlint-disable-next-line react/exhaustive-deps -- a new target moves the view, a new measurement doesn't
  }, [start, file.path]);

  function pick(event: MouseEvent, line: number): void {
    event.preventDefault();
    const from = event.shiftKey && target !== undefined ? target.start : line;
    onTarget({ start: Math.min(from, line), end: Math.max(from, line) });
  }

  function look(event: MouseEvent, line: number): void {
    const known = nameAt(event.target);
    const name = known?.name ?? clickedWord(event);
    if (name !== undefined && document.getSelection()?.isCollapsed !== false) {
      card.hide();
      (event.ctrlKey || event.metaKey ? onFollow : onName)(name, known === undefined ? `${file.path}:${line}` : positionOf(known));
    }
  }

  const positionOf = ({ line, column }: ShownName) => `${file.path}:${line}:${column}`;

  function step(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined && event.altKey) {
      event.preventDefault();
      const first = file.start_line + (virtual.range?.startIndex ?? 0);
      const line = Math.max(file.start_line, Math.min(file.start_line + lines.length - 1, start === undefined ? first : start + by));
      onTarget({ start: line, end: line });
    }
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it scrolls, so it takes keys
    <section
      ref={box}
      className={classes.box}
      style={{ lineHeight: `${lineHeight}px` }}
      aria-label={`Content of ${file.path}`}
      tabIndex={0}
      onKeyDown={step}
      onScroll={card.hide}
    >
      <div {...card.on} className={classes.canvas} style={{ height: virtual.getTotalSize(), minWidth: `calc(${columns}ch + 96px)` }}>
        {virtual.getVirtualItems().map(({ index, start: top }) => {
          const line = file.start_line + index;
          return (
            <div
              key={line}
              className={classes.line}
              data-line={line}
              data-target={inRange(target, line) || undefined}
              style={{ transform: `translateY(${top}px)` }}
            >
              {marginOf?.(line)}
              <a
                className={classes.number}
                href={`#${formatLineRange({ start: line, end: line })}`}
                tabIndex={-1}
                aria-label={`Line ${line}`}
                onClick={(event) => pick(event, line)}
              >
                {line}
              </a>
              {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the panel of names takes them by keyboard */}
              <span className={classes.text} onClick={(event) => look(event, line)}>
                <NameLine text={lines[index] ?? ""} tokens={coloured[index]} names={names} focusable={inRange(target, line)} />
              </span>
              {marks.has(line) && (
                <button type="button" className={classes.mark} onClick={() => onMark(line)}>
                  {marks.get(line)}
                </button>
              )}
            </div>
          );
        })}
      </div>
      {card.shown !== undefined && (
        <NameCard
          key={`${card.shown.name} ${positionOf(card.shown)}`}
          id={cardId}
          shown={card.shown}
          position={positionOf(card.shown)}
          file={file}
          branch={branch}
          onReferences={(name, position) => {
            card.hide();
            onName(name, position);
          }}
          onStay={card.stay}
          onLeave={card.leave}
        />
      )}
    </section>
  );
}

function linesOf(content: string): readonly string[] {
  const lines = content.split(/\r?\n/);
  return lines.length > 1 && lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function width(line: string): number {
  return line.length + (TAB_WIDTH - 1) * (line.split("\t").length - 1);
}

function isVisible(range: { readonly startIndex: number; readonly endIndex: number } | null, index: number): boolean {
  return range !== null && index > range.startIndex && index < range.endIndex;
}
