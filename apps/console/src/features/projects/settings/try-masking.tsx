import { Alert, Button, Group, Paper, Stack, Text, Textarea, Title } from "@mantine/core";
import type { MaskingRules } from "@sightline/observability/contract";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { tryMasking } from "#features/projects/api/masking.ts";
import { useApi } from "#http/api-context.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";

const SAMPLE = '{"user": {"name": "Ann", "password": "hunter2"}, "text": "Paid with 4111111111111111"}';

/** Shows what the rules above make of a sample, before they are saved. */
export function TryMasking({ projectId, rules }: { readonly projectId: string; readonly rules: MaskingRules }) {
  const api = useApi();
  const [sample, setSample] = useState(SAMPLE);
  const attempt = useMutation({ mutationFn: () => tryMasking(api, projectId, { ...rules, sample }) });
  return (
    <Paper p="lg" component="section">
      <Title order={2}>Try it</Title>
      <Text size="sm" c="dimmed" mt={4} mb="md">
        With the rules above, saved or not. Nothing of it is stored.
      </Text>
      <Stack gap="md">
        <Textarea
          label="Sample"
          description="JSON or any other text"
          rows={4}
          maxLength={20_000}
          spellCheck={false}
          value={sample}
          onChange={(event) => setSample(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" loading={attempt.isPending} onClick={() => attempt.mutate()}>
            Try
          </Button>
        </Group>
        {attempt.error !== null && (
          <Alert color="red" role="alert" title="The rules can't be tried">
            {attempt.error.message}
          </Alert>
        )}
        {attempt.data !== undefined && attempt.error === null && (
          <div aria-live="polite">
            <CopyableBlock text={attempt.data} label="what is stored of it" />
          </div>
        )}
      </Stack>
    </Paper>
  );
}
