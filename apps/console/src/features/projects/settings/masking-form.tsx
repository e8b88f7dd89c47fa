import { ActionIcon, Button, Group, Paper, Stack, Text, TextInput, Textarea, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type Masking, type MaskingPattern, type MaskingRules, maskingRulesSchema } from "@sightline/observability/contract";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { Form, SaveOrUndo } from "#ui/kit/form.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { useChange } from "#http/use-change.ts";
import { maskingQuery, putMasking, tryMasking } from "#features/projects/api/masking.ts";
import { ExactTime } from "#ui/time/time-stamp.tsx";
import { Failed, FailedChange } from "#ui/kit/failed-change.tsx";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import classes from "./settings.module.css";

const MAX_PATTERNS = 50;

export function MaskingForm({ projectId, saved }: { readonly projectId: string; readonly saved: Masking }) {
  const queries = useQueryClient();
  const [names, setNames] = useState(saved.keys.join("\n"));
  const [patterns, setPatterns] = useState<readonly MaskingPattern[]>(saved.patterns);
  const rules: MaskingRules = { keys: namesIn(names), patterns: [...patterns] };
  const [checked, setChecked] = useState(false);
  const problems = checked ? problemsOf(rules) : new Map<string, string>();
  const changed = JSON.stringify(rules) !== JSON.stringify({ keys: saved.keys, patterns: saved.patterns });
  const save = useChange({
    send: () => putMasking(projectId, rules),
    onSuccess(answer) {
      queries.setQueryData(maskingQuery(projectId).queryKey, answer);
      setNames(answer.keys.join("\n"));
      setPatterns(answer.patterns);
      notifications.show({ color: "green", title: "Saved", message: "The rules apply to new events within 30 seconds." });
    },
  });

  function submit(): void {
    setChecked(true);
    if (problemsOf(rules).size === 0) {
      save.mutate();
    }
  }

  function undo(): void {
    setNames(saved.keys.join("\n"));
    setPatterns(saved.patterns);
    setChecked(false);
  }

  function change(index: number, part: Partial<MaskingPattern>): void {
    setPatterns(patterns.map((pattern, at) => (at === index ? { ...pattern, ...part } : pattern)));
  }

  return (
    <Stack gap="lg">
      <Paper p="lg" component="section">
        <Title order={2}>Masking</Title>
        <Dimmed mt={4} mb="lg">
          Replaced by [masked] before anything is stored or can be searched: in inputs, outputs, attributes, errors, reasoning and tool
          calls. It applies to new events only; what is already stored stays as it is. Names of steps and ids of users and sessions are not
          masked.
        </Dimmed>
        <Form onSubmit={submit} gap="lg">
          <Textarea
            label="Fields"
            description="One name per line; case is ignored. The whole value is masked; * matches any characters: *password*, api_*"
            placeholder="password"
            rows={4}
            spellCheck={false}
            {...typedInto(names, setNames)}
            error={problems.get("keys")}
          />
          <div role="group" aria-label="Patterns">
            <Text size="sm" fw={500}>
              Patterns
            </Text>
            <Dimmed size="xs" mb="xs">
              RE2 regular expressions; every match in a text is masked. Start with (?i) to ignore case.
            </Dimmed>
            <Stack gap="xs">
              {patterns.map((pattern, index) => (
                // Patterns have nothing that stays but their place.
                // oxlint-disable-next-line react/no-array-index-key
                <Group key={index} gap="xs" align="flex-start" wrap="nowrap">
                  <TextInput
                    aria-label={`Name of pattern ${index + 1}`}
                    placeholder="Card numbers"
                    w={200}
                    maxLength={100}
                    {...typedInto(pattern.name, (name) => change(index, { name }))}
                    error={problems.get(`patterns.${index}.name`)}
                  />
                  <TextInput
                    className={classes.grow}
                    aria-label={`Expression of pattern ${index + 1}`}
                    placeholder="\b\d{13,16}\b"
                    maxLength={500}
                    spellCheck={false}
                    {...typedInto(pattern.expression, (expression) => change(index, { expression }))}
                    error={problems.get(`patterns.${index}.expression`)}
                  />
                  <ActionIcon
                    size={36}
                    variant="default"
                    aria-label={`Remove pattern ${index + 1}`}
                    onClick={() => setPatterns(patterns.filter((_, at) => at !== index))}
                  >
                    <IconTrash size={16} />
                  </ActionIcon>
                </Group>
              ))}
              <div>
                <Button
                  variant="default"
                  size="xs"
                  leftSection={<IconPlus size={14} />}
                  disabled={patterns.length >= MAX_PATTERNS}
                  onClick={() => setPatterns([...patterns, { name: "", expression: "" }])}
                >
                  Add a pattern
                </Button>
              </div>
            </Stack>
          </div>
          <FailedChange error={save.error} title="The rules were not saved" />
          <Group justify="space-between" gap="xs">
            <Dimmed size="xs">
              {saved.changed_at !== null && (
                <>
                  Last changed <ExactTime at={saved.changed_at} />
                </>
              )}
            </Dimmed>
            <SaveOrUndo changed={changed} isValid={problems.size === 0} saving={save.isPending} onUndo={undo} />
          </Group>
        </Form>
      </Paper>
      <TryMasking projectId={projectId} rules={rules} />
    </Stack>
  );
}

function namesIn(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return [...new Set(lines)].filter((line) => line !== "");
}

function problemsOf(rules: MaskingRules): ReadonlyMap<string, string> {
  const issues = maskingRulesSchema.safeParse(rules).error?.issues ?? [];
  return new Map(issues.map(({ path, message }) => [path[0] === "keys" ? "keys" : path.join("."), message]));
}

const SAMPLE = '{"user": {"name": "Ann", "password": "hunter2"}, "text": "Paid with 4111111111111111"}';

/** Shows what the rules above make of a sample, before they are saved. */
function TryMasking({ projectId, rules }: { readonly projectId: string; readonly rules: MaskingRules }) {
  const [sample, setSample] = useState(SAMPLE);
  const attempt = useChange({ send: () => tryMasking(projectId, { ...rules, sample }) });
  return (
    <Paper p="lg" component="section">
      <Title order={2}>Try it</Title>
      <Dimmed mt={4} mb="md">
        Uses the rules above, saved or not. Nothing is stored.
      </Dimmed>
      <Stack gap="md">
        <Textarea
          label="Sample"
          description="JSON or any other text"
          rows={4}
          maxLength={20_000}
          spellCheck={false}
          {...typedInto(sample, setSample)}
        />
        <Group justify="flex-end">
          <Button variant="default" loading={attempt.isPending} onClick={() => attempt.mutate()}>
            Try
          </Button>
        </Group>
        <Failed error={attempt.error} title="The rules can't be tried" />
        {attempt.data !== undefined && attempt.error === null && (
          <div aria-live="polite">
            <CopyableBlock text={attempt.data} label="what is stored of it" />
          </div>
        )}
      </Stack>
    </Paper>
  );
}
