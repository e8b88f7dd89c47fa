import { Alert, Anchor, Group, Loader, Stack, Table, Text, Title } from "@mantine/core";
import type { Preview, Repository } from "@sightline/code-index/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FailureReason } from "#ui/words/failure-reason.tsx";
import { formatBytes, formatCount, plural } from "#ui/words/format.ts";
import { ErrorState } from "#ui/kit/list-states.tsx";
import { previewQuery } from "#features/repositories/api/repositories.ts";
import classes from "./preview.module.css";

/** What an index of the repository would hold, and what it would leave out. */
export function RepositoryPreview({ repository, onLeave }: { readonly repository: Repository; readonly onLeave: () => void }) {
  const answer = useQuery(previewQuery(repository));
  if (answer.data === undefined && answer.error !== null) {
    return <ErrorState title="The preview could not be made" error={answer.error} onRetry={() => void answer.refetch()} />;
  }
  if (answer.data === undefined || answer.data.status === "pending" || answer.isPlaceholderData) {
    return (
      <Group gap="sm" py="xl" justify="center" role="status">
        <Loader size="sm" aria-hidden />
        <Text>Fetching {repository.full_name} and counting what would be indexed…</Text>
      </Group>
    );
  }
  if (answer.data.preview === null) {
    return (
      <Alert color="red" role="alert" title={`${repository.full_name} could not be previewed`}>
        <FailureReason message={answer.data.error_message ?? "The indexer gave no reason."} quiet />
        <Anchor
          component={Link}
          to="/code/repos/$repositoryId"
          params={{ repositoryId: repository.id }}
          size="sm"
          mt="xs"
          display="inline-block"
          onClick={onLeave}
        >
          Change its clone URL or credential
        </Anchor>
      </Alert>
    );
  }
  return <Counted preview={answer.data.preview} />;
}

function Counted({ preview }: { readonly preview: Preview }) {
  return (
    <Stack gap="lg">
      <dl className={classes.numbers}>
        <Figure label="Files" value={formatCount(preview.files)} />
        <Figure label="Source" value={formatBytes(preview.bytes)} />
        <Figure label="Chunks" value={formatCount(preview.chunks)} />
        <Figure label="Tokens, about" value={formatCount(preview.tokens)} />
        <Figure label="Left out" value={formatCount(preview.skipped)} />
      </dl>
      <div className={classes.columns}>
        <Counts
          caption="By language"
          rows={preview.languages.slice(0, 8).map(({ language, files, chunks }) => ({ name: language, files, chunks }))}
        />
        <Counts
          caption="Biggest files"
          rows={preview.biggest.slice(0, 8).map(({ path, bytes, chunks }) => ({ name: path, bytes, chunks }))}
        />
      </div>
      {preview.skip_reasons.length > 0 && (
        <div>
          <Title order={3} mb={4}>
            Left out
          </Title>
          <ul className={classes.reasons}>
            {preview.skip_reasons.map(({ reason, files, examples }) => (
              <li key={reason}>
                <Text size="sm">
                  {plural(files, "file", "files")}: {reason}
                </Text>
                <Text size="xs" c="dimmed" className={classes.examples}>
                  {examples.slice(0, 3).join(", ")}
                </Text>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Stack>
  );
}

function Figure({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed">
        {label}
      </Text>
      <Text component="dd" fz="lg" fw={600} m={0}>
        {value}
      </Text>
    </div>
  );
}

type CountRow = { readonly name: string; readonly files?: number; readonly bytes?: number; readonly chunks: number };

function Counts({ caption, rows }: { readonly caption: string; readonly rows: readonly CountRow[] }) {
  return (
    <div>
      <Title order={3} mb={4}>
        {caption}
      </Title>
      <Table fz="xs" withRowBorders={false} verticalSpacing={3} horizontalSpacing={0} aria-label={caption}>
        <Table.Tbody>
          {rows.map(({ name, files, bytes, chunks }) => (
            <Table.Tr key={name}>
              <Table.Td className={classes.name}>{name}</Table.Td>
              <Table.Td ta="right" c="dimmed" w={80}>
                {bytes === undefined ? plural(files ?? 0, "file", "files") : formatBytes(bytes)}
              </Table.Td>
              <Table.Td ta="right" c="dimmed" w={90}>
                {plural(chunks, "chunk", "chunks")}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
