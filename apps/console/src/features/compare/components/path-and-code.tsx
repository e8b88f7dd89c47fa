import { Anchor, Text } from "@mantine/core";
import type { Comparison } from "@sightline/observability/contract";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Dimmed } from "#ui/kit/dimmed.tsx";
import { PlainTable } from "#ui/kit/data-table.tsx";
import { formatCost, formatCount, formatDuration } from "#ui/words/format.ts";
import { EDGE_WORDS, graphNodeWords } from "#ui/words/graph-words.ts";
import { changeOf } from "#features/compare/change.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { ChangeText } from "./figures.tsx";
import classes from "./path-and-code.module.css";

const SHORT = 10;

/** Edges that one run went more often than the other. */
export function EdgeDifferences({ edges }: { readonly edges: NonNullable<Comparison["edges"]> }) {
  const differing = edges.filter(({ a, b }) => a !== b);
  if (differing.length === 0) {
    return <Dimmed>Both took the same {formatCount(edges.length)} edges, equally often.</Dimmed>;
  }
  return (
    <PlainTable
      verticalSpacing={7}
      horizontalSpacing="xs"
      rows={differing}
      rowKey={({ from, to, via }) => JSON.stringify([from, to, via])}
      columns={[
        { header: "From", render: ({ from }) => (from === null ? "unknown" : graphNodeWords(from)) },
        { header: "To", render: ({ to }) => graphNodeWords(to) },
        { header: "By", render: ({ via }) => EDGE_WORDS[via] },
        { header: "Times in A", align: "right", render: ({ a }) => times(a) },
        { header: "Times in B", align: "right", render: ({ b }) => times(b) },
      ]}
    />
  );
}

function times(count: number): string {
  return count === 0 ? "never" : formatCount(count);
}

type ModelDifferencesProps = {
  readonly models: Comparison["models"];
  /** Whether both runs came to their end. */ readonly isJudged: boolean;
};

export function ModelDifferences({ models, isJudged }: ModelDifferencesProps) {
  type Model = (typeof models)[number];
  const figure = (header: string, render: (model: Model) => ReactNode) => ({
    header,
    align: "right" as const,
    td: { className: classes.figure ?? "" },
    render,
  });
  const change = (header: string, key: "duration_ms" | "input_tokens" | "output_tokens" | "cost", format: (value: number) => string) =>
    figure(header, ({ a, b }) => <ChangeText change={changeOf(a[key], b[key], format)} isJudged={isJudged} />);
  return (
    <PlainTable
      verticalSpacing={7}
      horizontalSpacing={8}
      rows={models}
      rowKey={({ model }) => model}
      columns={[
        { header: "Model", td: { className: classes.model ?? "" }, render: ({ model }) => model },
        figure("Calls", ({ a, b }) => `${formatCount(a.steps)} → ${formatCount(b.steps)}`),
        change("Time", "duration_ms", formatDuration),
        change("Tokens in", "input_tokens", formatCount),
        change("Tokens out", "output_tokens", formatCount),
        change("Cost", "cost", formatCost),
      ]}
    />
  );
}

/** Whether it is known which code ran. */
export function hasCommit({ a, b }: Comparison["code"]["repositories"][number]): boolean {
  return a.length + b.length > 0;
}

/** Which commits ran, and the files that ran at different ones. */
export function CodeDifferences({ code }: { readonly code: Comparison["code"] }) {
  return (
    <>
      {code.repositories.filter(hasCommit).map(({ repo, a, b }) => (
        <Text key={repo ?? ""} size="sm">
          {repo ?? "Unknown repository"}: {a.join() === b.join() ? `both at ${commits(a)}` : `${commits(a)} → ${commits(b)}`}
        </Text>
      ))}
      {code.files.length > 0 && (
        <PlainTable
          mt="xs"
          verticalSpacing={7}
          horizontalSpacing="xs"
          rows={code.files}
          rowKey={({ repo, file }) => JSON.stringify([repo, file])}
          columns={[
            {
              header: "File that ran at another commit",
              render: ({ repo, file, b }) => <FileLink repo={repo} path={file} commit={b} />,
            },
            { header: "Functions", render: ({ functions }) => functions.join(", ") },
            { header: "A", render: ({ a }) => a.slice(0, SHORT) },
            { header: "B", render: ({ b }) => b.slice(0, SHORT) },
          ]}
        />
      )}
    </>
  );
}

/** To the file's history, which says what was changed between the two. */
function FileLink({ repo, path, commit }: { readonly repo: string | null; readonly path: string; readonly commit: string }) {
  const [owner, name] = repo?.split("/") ?? [];
  return owner === undefined || name === undefined ? (
    path
  ) : (
    <Anchor
      component={Link}
      to="/code/$owner/$repo"
      params={{ owner, repo: name }}
      search={{ path, commit, panel: "history" }}
      title="Its history"
    >
      <SafeText text={path} />
    </Anchor>
  );
}

function commits(list: readonly string[]): string {
  return list.length === 0 ? "no commit known" : list.map((commit) => commit.slice(0, SHORT)).join(", ");
}
