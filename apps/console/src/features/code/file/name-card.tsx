import { Portal, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { pickDefinitions, symbolsQuery, usesQuery } from "#features/code/api/symbols.ts";
import { formatCount, plural } from "#ui/words/format.ts";
import { fileLink } from "#features/code/model/file-link.ts";
import { PrecisionLabel } from "./precision-label.tsx";
import type { ShownName } from "./use-name-card.ts";
import classes from "./name-card.module.css";

const WIDTH = 460;
/** So much of the window below a name has room for the card. */
const HEIGHT = 240;
const SHOWN = 3;

type NameCardProps = {
  readonly id: string;
  readonly shown: ShownName;
  readonly file: { readonly repo: string; readonly path: string };
  readonly branch: string | undefined;
  /** Where the name stands: `path:line:column`. */
  readonly position: string;
  readonly onReferences: (name: string, position: string) => void;
  /** The pointer is on the card, or left it. */
  readonly onStay: () => void;
  readonly onLeave: () => void;
};

/** What a name is: its definition with signature and comment, and how often it is used. */
export function NameCard({
  id,
  shown: { name, at },
  file: { repo, path },
  branch,
  position,
  onReferences,
  onStay,
  onLeave,
}: NameCardProps) {
  const place = { repo, ref: branch, position };
  const symbols = useQuery(symbolsQuery(name, place));
  const uses = useQuery(usesQuery(name, place));
  if (symbols.data === undefined) {
    return null;
  }
  const definitions = pickDefinitions(name, path, symbols.data.symbols);
  if (definitions.length === 0) {
    return null;
  }
  const isBelow = at.bottom + HEIGHT < window.innerHeight || at.top < HEIGHT;
  const left = Math.max(8, Math.min(at.left, window.innerWidth - WIDTH - 8));
  return (
    <Portal>
      <div
        id={id}
        className={classes.card}
        role="group"
        aria-label={`About ${name}`}
        style={{ left, ...(isBelow ? { top: at.bottom + 4 } : { bottom: window.innerHeight - at.top + 4 }) }}
        onPointerEnter={onStay}
        onPointerLeave={onLeave}
      >
        {definitions.slice(0, SHOWN).map((definition) => (
          <section key={`${definition.path} ${definition.start_line}`} className={classes.definition}>
            <pre className={classes.signature}>{definition.signature.replace(/\s*\{$/u, "")}</pre>
            {definition.comment !== "" && <p className={classes.comment}>{definition.comment}</p>}
            <p className={classes.place}>
              {definition.kind} in{" "}
              <Link className={classes.link} {...fileLink({ ...definition, end_line: definition.start_line }, branch !== undefined)}>
                {definition.path}:{definition.start_line}
              </Link>{" "}
              <PrecisionLabel precision={definition.precision} reason={definition.reason} />
            </p>
          </section>
        ))}
        <div className={classes.foot}>
          <UnstyledButton className={classes.link} onClick={() => onReferences(name, position)}>
            {uses.data === undefined ? "References" : countOf(uses.data)}
          </UnstyledButton>
          {definitions.length > SHOWN && <span>{formatCount(definitions.length - SHOWN)} more definitions</span>}
          <Text span inherit className={classes.keys}>
            {isApple() ? "⌘" : "Ctrl"}-click: definition
          </Text>
        </div>
      </div>
    </Portal>
  );
}

function countOf({ total, counts, files_total: files }: { total: number | null; counts: Record<string, number>; files_total: number }) {
  const known = Object.entries(counts).reduce((sum, [kind, count]) => (kind === "text" || kind === "definition" ? sum : sum + count), 0);
  return `${total === null ? "At least " : ""}${plural(total ?? known, "use", "uses")} in ${plural(files, "file", "files")}`;
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}
