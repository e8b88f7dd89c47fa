import { SegmentedControl, Text } from "@mantine/core";
import {
  type FoundReference,
  type FoundSymbol,
  type Precision,
  precisionSchema,
  type ReferencesAnswer,
  type UseKind,
  useKindSchema,
} from "@sightline/code-index/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { SafeText } from "#ui/words/safe-text.tsx";
import { fileLink } from "#features/code/model/file-link.ts";
import { referencesQuery } from "#features/code/api/symbols.ts";
import { formatCount, plural } from "#ui/words/format.ts";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { AnswerNotes } from "#ui/kit/answer-notes.tsx";
import { LoadMore } from "#ui/kit/load-more.tsx";
import { PrecisionLabel } from "./precision-label.tsx";
import classes from "./symbol-panel.module.css";

type Place = {
  readonly repo: string;
  readonly ref: string | undefined;
  /** The file that is open. */
  readonly path: string;
  readonly position: string | undefined;
};

/** Where a name is defined and used: in this repository, or in all of them. */
export function SymbolPanel({ symbol, place: { repo, ref, path, position } }: { readonly symbol: string; readonly place: Place }) {
  const [everywhere, setEverywhere] = useState(false);
  const place = everywhere ? { position_repo: repo } : { repo, ref };
  const list = useInfiniteQuery(referencesQuery(symbol, position === undefined && everywhere ? {} : { ...place, position }));
  const pages = list.data?.pages ?? [];
  const [first] = pages;
  const last = pages.at(-1);
  const isHere = (found: FoundSymbol) => Number(found.repo === repo && found.path === path);
  const definitions = (first?.definitions ?? []).toSorted((one, other) => isHere(other) - isHere(one));
  const defined = new Set(definitions.map(({ precision }) => precision));
  const used = usedPrecisions(first);
  const kinds = useMemo(() => Map.groupBy(list.data?.pages.flatMap((page) => page.references) ?? [], ({ kind }) => kind), [list.data]);
  return (
    <>
      <SegmentedControl
        size="xs"
        fullWidth
        mb="sm"
        aria-label="Where to look"
        data={[
          { value: "here", label: "This repository" },
          { value: "everywhere", label: "All repositories" },
        ]}
        value={everywhere ? "everywhere" : "here"}
        onChange={(where) => setEverywhere(where === "everywhere")}
      />
      {first === undefined || last === undefined ? (
        <Unanswered query={list} failed="The name could not be looked up" loading={<LoadingRows rows={5} height={34} />} />
      ) : (
        <>
          <AnswerNotes partial={first.partial ? "Only some files were checked." : undefined} notes={first.notes} error={null} />
          <h3 className={classes.heading}>
            Defined {definitions.length === 0 && <span className={classes.dimmed}>nowhere that is indexed</span>}{" "}
            <OnlyPrecision of={defined} />
          </h3>
          <ul className={classes.list}>
            {definitions.map((definition) => (
              <li key={`${definition.repo} ${definition.path} ${definition.start_line}`}>
                <Definition
                  definition={definition}
                  shownRepo={everywhere}
                  isMixed={defined.size > 1}
                  ofBranch={ref !== undefined && !everywhere}
                />
              </li>
            ))}
          </ul>
          {first.definitions.length < first.definitions_total && (
            <p className={classes.counts}>and {formatCount(first.definitions_total - first.definitions.length)} more</p>
          )}
          <h3 className={classes.heading}>
            Used{" "}
            <span className={classes.dimmed}>
              {first.total === null
                ? `in ${plural(first.files_total, "file", "files")}`
                : first.total === 0
                  ? "nowhere that is indexed"
                  : `on ${plural(first.total, "line", "lines")} of ${plural(first.files_total, "file", "files")}`}
            </span>{" "}
            <OnlyPrecision of={used} />
            {first.precisions !== null && used.size > 1 && (
              <span className={classes.dimmed}>
                {formatCount(first.precisions.exact)} exact, {formatCount(first.precisions.name)} by name
              </span>
            )}
          </h3>
          {useKindSchema.options.map((kind) => (
            <KindOfUse
              key={kind}
              kind={kind}
              references={kinds.get(kind) ?? []}
              answer={first}
              shownRepo={everywhere}
              isMixed={used.size > 1}
              ofBranch={ref !== undefined && !everywhere}
            />
          ))}
          {first.counts.text > 0 && <p className={classes.counts}>Also {plural(first.counts.text, ...COUNTED.text)}.</p>}
          {kinds.size > 0 && <LoadMore list={list} endOfResults="No more references." />}
        </>
      )}
    </>
  );
}

/** How the uses are known, of all pages. Where no index knows the name, all are by name. */
function usedPrecisions(answer: ReferencesAnswer | undefined): ReadonlySet<Precision> {
  const counts = answer?.precisions ?? { exact: 0, name: answer?.references.length ?? 0 };
  return new Set(precisionSchema.options.filter((precision) => counts[precision] > 0));
}

/** Where all are alike, it is said once. */
function OnlyPrecision({ of: precisions }: { readonly of: ReadonlySet<Precision> }) {
  const [precision] = precisions;
  return precision === undefined || precisions.size > 1 ? null : <PrecisionLabel precision={precision} />;
}

const COUNTED: Readonly<Record<UseKind, readonly [one: string, many: string]>> = {
  definition: ["definition", "definitions"],
  implementation: ["implementation", "implementations"],
  import: ["import", "imports"],
  write: ["write", "writes"],
  call: ["call", "calls"],
  type: ["type", "types"],
  read: ["read", "reads"],
  text: ["in a string, comment or document", "in strings, comments and documents"],
};

type KindOfUseProps = Omit<ReferencesProps, "references"> & {
  readonly kind: UseKind;
  readonly references: readonly FoundReference[];
  readonly answer: ReferencesAnswer;
};

/** The lines that do the same with a name, by file. */
function KindOfUse({ kind, references, answer: { counts, partial }, ...shown }: KindOfUseProps) {
  if (references.length === 0) {
    return null;
  }
  return (
    <details className={classes.group} open>
      <summary className={classes.summary}>
        {partial && "At least "}
        {plural(counts[kind], ...COUNTED[kind])}
      </summary>
      {[...Map.groupBy(references, fileOf)].map(([file, inFile]) => (
        <References key={file} references={inFile} {...shown} />
      ))}
    </details>
  );
}

type DefinitionProps = Omit<ReferencesProps, "references"> & { readonly definition: FoundSymbol };

function Definition({ definition, shownRepo, isMixed, ofBranch }: DefinitionProps) {
  const { repo, path, kind, start_line: line, signature, precision } = definition;
  return (
    <Link className={classes.place} {...panelLink(fileLink({ ...definition, end_line: line }, ofBranch))}>
      <span className={classes.path}>
        <span className={classes.kind}>{kind}</span> {shownRepo && `${repo} `}
        <SafeText text={path} />:{line} {isMixed && <PrecisionLabel precision={precision} />}
      </span>
      <code className={classes.code}>
        <SafeText text={signature} />
      </code>
    </Link>
  );
}

type ReferencesProps = {
  readonly references: readonly FoundReference[];
  readonly shownRepo: boolean;
  /** Some are exact, some by name: each says which. */
  readonly isMixed: boolean;
  readonly ofBranch: boolean;
};

function References({ references, shownRepo, isMixed, ofBranch }: ReferencesProps) {
  const [first] = references;
  if (first === undefined) {
    return null;
  }
  return (
    <section>
      <Text className={classes.path} component="h4">
        {shownRepo && `${first.repo} `}
        <SafeText text={first.path} />
      </Text>
      <ul className={classes.list}>
        {references.map((reference) => (
          <li key={reference.line}>
            <Link
              className={classes.use}
              title={reference.within === null ? reference.kind : `${reference.kind} in ${reference.within}`}
              {...panelLink(fileLink({ ...reference, start_line: reference.line, end_line: reference.line }, ofBranch))}
            >
              <span className={classes.number}>{reference.line}</span>
              <code className={classes.code}>
                <SafeText text={reference.text.trim()} />
              </code>
              {isMixed && <PrecisionLabel precision={reference.precision} />}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The panel stays what it is where a link leads to. */
function panelLink<L extends { readonly search: object }>(link: L) {
  return { ...link, search: (before: object) => ({ ...before, ref: undefined, commit: undefined, ...link.search }) };
}

function fileOf({ repo, ref, path }: FoundReference): string {
  return `${repo} ${ref} ${path}`;
}
