import { Code, Stack, Text } from "@mantine/core";
import type { PromptVersion } from "@sightline/observability/contract";
import { Section } from "#ui/kit/panel.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./prompts.module.css";

const VARIABLE = /(\{\{\s*[A-Za-z_]\w*\s*\}\})/;

/** A version: its text or messages with the variables marked, and its config. */
export function PromptText({ version: { template, config } }: { readonly version: PromptVersion }) {
  const messages = typeof template === "string" ? [{ role: "Text", content: template }] : template;
  return (
    <Stack gap="md">
      {messages.map(({ role, content }, at) => (
        <Section key={at} title={role}>
          <Text className={classes.text}>
            {content.split(VARIABLE).map((part, place) =>
              place % 2 === 1 ? (
                <mark key={place} className={classes.variable}>
                  {part}
                </mark>
              ) : (
                <SafeText key={place} text={part} />
              ),
            )}
          </Text>
        </Section>
      ))}
      {Object.keys(config).length > 0 && (
        <Section title="Config">
          <Code block>{JSON.stringify(config, null, 2)}</Code>
        </Section>
      )}
    </Stack>
  );
}
