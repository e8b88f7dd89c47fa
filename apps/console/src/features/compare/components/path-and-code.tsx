import { Anchor, Table, Text } from "@mantine/core";
import type { Comparison } from "@sightline/observability/contract";
import { Link } from "@tanstack/react-router";
import { formatCost, formatCount, formatDuration } from "#ui/words/format.ts";
import { changeOf } from "#features/compare/change.ts";
import { ChangeText } from "./figures.tsx";
import classes from "./path-and-code.module.css";

const SHORT = 10;

/** Edges that one run went more often than the other. */
export function EdgeDifferences({ edges }: { readonly edges: NonNullable<Comparison["edges"]> }) {
  const differing = edges.filter(({ a, b }) => a !== b);
  if (differing.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Both went the same {formatCount(edges.length)} edges, equally often.
      </Text>
    );
  }
  return (
    <Table verticalSpacing={7} horizontalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">From</Table.Th>
          <Table.Th scope="col">To</Table.Th>
          <Table.Th scope="col">By</Table.Th>
          <Table.Th scope="col" ta="right">
            Times in A
          </Table.Th>
          <Table.Th scope="col" ta="right">
            Times in B
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {differing.map(({ from, to, via, a, b }) => (
          <Table.Tr key={JSON.stringify([from, to, via])}>
            <Table.Td>{from ?? "unknown"}</Table.Td>
            <Table.Td>{to}</Table.Td>
            <Table.Td>{via}</Table.Td>
            <Table.Td ta="right">{a === 0 ? "never" : formatCount(a)}</Table.Td>
            <Table.Td ta="right">{b === 0 ? "never" : formatCount(b)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Calls, time, tokens and cost by model. */
export function ModelDifferences({ models }: { readonly models: Comparison["models"] }) {
  return (
    <Table verticalSpacing={7} horizontalSpacing={8}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Model</Table.Th>
          {["Calls", "Time", "Tokens in", "Tokens out", "Cost"].map((label) => (
            <Table.Th key={label} scope="col" ta="right">
              {label}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {models.map(({ model, a, b }) => (
          <Table.Tr key={model}>
            <Table.Td className={classes.model ?? ""}>{model}</Table.Td>
            <Table.Td className={classes.figure ?? ""}>
              {formatCount(a.steps)} → {formatCount(b.steps)}
            </Table.Td>
            <Table.Td className={classes.figure ?? ""}>
              <ChangeText change={changeOf(a.duration_ms, b.duration_ms, formatDuration)} />
            </Table.Td>
            <Table.Td className={classes.figure ?? ""}>
              <ChangeText change={changeOf(a.input_tokens, b.input_tokens, formatCount)} />
            </Table.Td>
            <Table.Td className={classes.figure ?? ""}>
              <ChangeText change={changeOf(a.output_tokens, b.output_tokens, formatCount)} />
            </Table.Td>
            <Table.Td className={classes.figure ?? ""}>
              <ChangeText change={changeOf(a.cost, b.cost, formatCost)} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Which commits ran, and the files that ran at different ones. */
export function CodeDifferences({ code }: { readonly code: Comparison["code"] }) {
  return (
    <>
      {code.repositories.map(({ repo, a, b }) => (
        <Text key={repo ?? ""} size="sm">
          {repo ?? "A repository that is not known"}: {commits(a)} → {commits(b)}
          {a.join() === b.join() && ", the same"}
        </Text>
      ))}
      {code.files.length > 0 && (
        <Table mt="xs" verticalSpacing={7} horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">File that ran at another commit</Table.Th>
              <Table.Th scope="col">Functions</Table.Th>
              <Table.Th scope="col">A</Table.Th>
              <Table.Th scope="col">B</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {code.files.map((file) => (
              <Table.Tr key={JSON.stringify([file.repo, file.file])}>
                <Table.Td>
                  <FileLink repo={file.repo} path={file.file} commit={file.b} />
                </Table.Td>
                <Table.Td>{file.functions.join(", ")}</Table.Td>
                <Table.Td>{file.a.slice(0, SHORT)}</Table.Td>
                <Table.Td>{file.b.slice(0, SHORT)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
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
      {path}
    </Anchor>
  );
}

function commits(list: readonly string[]): string {
  return list.length === 0 ? "no commit known" : list.map((commit) => commit.slice(0, SHORT)).join(", ");
}
