import { ActionIcon, TextInput, Tooltip } from "@mantine/core";
import type { Outline } from "@sightline/code-index/contract";
import { IconArrowsSplit2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { type Branch, outlineQuery } from "#features/code/api/files.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import type { LineRange } from "#features/code/model/line-range.ts";
import { outlineRows } from "./outline-rows.ts";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import classes from "./outline-panel.module.css";

const INDENT = 14;

type OutlinePanelProps = {
  readonly branch: Branch;
  readonly path: string;
  readonly target: LineRange | undefined;
  readonly onTarget: (range: LineRange) => void;
  readonly onName: (name: string) => void;
};

/** What a file defines; a click leads there. */
export function OutlinePanel({ branch, path, ...panel }: OutlinePanelProps) {
  const outline = useQuery(outlineQuery(branch, path));
  if (outline.data === undefined) {
    return <Unanswered query={outline} failed="The outline could not be loaded" loading={<LoadingRows rows={8} height={20} />} />;
  }
  const { symbols, language } = outline.data;
  if (symbols.length === 0) {
    return <Dimmed>No definitions are known of this file ({language}).</Dimmed>;
  }
  return <Symbols symbols={symbols} {...panel} />;
}

type SymbolsProps = Omit<OutlinePanelProps, "branch" | "path"> & Pick<Outline, "symbols">;

function Symbols({ symbols, target, onTarget, onName }: SymbolsProps) {
  const [filter, setFilter] = useState("");
  const rows = outlineRows(symbols, { filter, line: target?.start });
  const list = useRef<HTMLUListElement>(null);
  const current = rows.findIndex((row) => row.current);
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return (
    <>
      <TextInput
        size="xs"
        mb="xs"
        aria-label="Filter the outline"
        placeholder="Filter"
        spellCheck={false}
        {...typedInto(filter, setFilter)}
      />
      <ul ref={list} className={classes.list}>
        {rows.map(({ name, kind, start_line: start, depth, current: isCurrent }, index) => (
          <li key={index} className={classes.row} data-current={isCurrent || undefined} style={{ paddingLeft: 8 + depth * INDENT }}>
            <a
              className={classes.link}
              href={`#L${start}`}
              aria-current={isCurrent ? "location" : undefined}
              onClick={(event) => {
                event.preventDefault();
                onTarget({ start, end: start });
              }}
            >
              <span className={classes.name}>
                <SafeText text={name} />
              </span>{" "}
              <span className={classes.kind}>{kind}</span>
            </a>
            <Tooltip label="Where it is used">
              <ActionIcon size="xs" variant="subtle" color="gray" aria-label={`Where ${name} is used`} onClick={() => onName(name)}>
                <IconArrowsSplit2 size={13} />
              </ActionIcon>
            </Tooltip>
          </li>
        ))}
      </ul>
      {rows.length === 0 && <Dimmed>Nothing is called “{filter}” here.</Dimmed>}
    </>
  );
}
