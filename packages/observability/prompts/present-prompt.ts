import { listVariables, type Prompt, type PromptVersion, type PromptVersionSummary } from "#contract.ts";
import type { PromptRow } from "./prompts.store.ts";
import type { VersionRow } from "./versions.store.ts";

export function presentPrompt({ created_at: createdAt, changed_at: changedAt, ...row }: PromptRow): Prompt {
  return { ...row, created_at: createdAt.toISOString(), changed_at: changedAt.toISOString() };
}

export function presentSummary({ labels }: PromptRow, row: Omit<VersionRow, "template" | "config">): PromptVersionSummary {
  const { version, author, reason, made_at: madeAt } = row;
  const own = Object.entries(labels).filter(([, meant]) => meant === version);
  return { version, author, reason, made_at: madeAt.toISOString(), labels: own.map(([label]) => label) };
}

export function presentVersion(prompt: PromptRow, row: VersionRow): PromptVersion {
  const { template, config } = row;
  return { ...presentSummary(prompt, row), prompt_id: prompt.id, name: prompt.name, template, config, variables: listVariables(template) };
}
