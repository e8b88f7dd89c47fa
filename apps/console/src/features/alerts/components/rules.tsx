import { Button, Paper, Text } from "@mantine/core";
import type { AlertChannel, AlertRule } from "@sightline/observability/contract";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { PanelList, PanelHeader } from "#ui/kit/panel.tsx";
import { useChange } from "#http/use-change.ts";
import { alertRulesQuery, alertsKey, changeRule, deleteRule } from "#features/alerts/api/alerts.ts";
import { ruleInWords } from "#features/alerts/rule-words.ts";
import { NEW_RULE, SUGGESTED, type RuleDraft } from "#features/alerts/suggested-rules.ts";
import { ConfirmDialog } from "#ui/kit/dialogs.tsx";
import { FailedChange } from "#ui/kit/failed-change.tsx";
import classes from "./alerts.module.css";
import { RuleModal } from "./rule-modal.tsx";
import { RuleTable } from "./rule-table.tsx";

type Props = { readonly projectId: string; readonly channels: readonly AlertChannel[]; readonly mayChange: boolean };

export function Rules({ projectId, channels, mayChange }: Props) {
  const rules = useQuery(alertRulesQuery(projectId));
  const [draft, setDraft] = useState<RuleDraft>();
  const [deleting, setDeleting] = useState<AlertRule>();
  const refreshes = [alertsKey(projectId)];
  const change = useChange({
    send: ({ id, is_enabled: isEnabled }: AlertRule) => changeRule(projectId, id, { is_enabled: !isEnabled }),
    refreshes,
  });
  const remove = useChange({ send: (id: string) => deleteRule(projectId, id), refreshes, onSuccess: () => setDeleting(undefined) });
  return (
    <Paper component="section">
      <PanelHeader title="Rules" about="Checked every minute. A rule fires immediately, and resolves after two consecutive OK checks.">
        {mayChange && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setDraft(NEW_RULE)}>
            New alert
          </Button>
        )}
      </PanelHeader>
      <FailedChange error={change.error} title="The alert was not changed" mx="lg" mb="md" />
      <PanelList
        query={rules}
        items={rules.data}
        isHeaded
        failed="The alerts could not be loaded"
        empty={<Suggestions mayChange={mayChange} onChoose={setDraft} />}
      >
        {(items) => (
          <RuleTable
            projectId={projectId}
            rules={items}
            channels={channels}
            mayChange={mayChange}
            onEdit={setDraft}
            onSwitch={change.mutate}
            onDelete={(rule) => {
              remove.reset();
              setDeleting(rule);
            }}
          />
        )}
      </PanelList>
      {draft !== undefined && <RuleModal projectId={projectId} draft={draft} channels={channels} onClose={() => setDraft(undefined)} />}
      <ConfirmDialog
        opened={deleting !== undefined}
        title={`Delete “${deleting?.name ?? ""}”?`}
        change={remove}
        failed="It was not deleted"
        onConfirm={() => deleting !== undefined && remove.mutate(deleting.id)}
        onClose={() => setDeleting(undefined)}
      >
        <Text>It will no longer send anything. Past alerts stay in the history.</Text>
      </ConfirmDialog>
    </Paper>
  );
}

function Suggestions({ mayChange, onChoose }: { readonly mayChange: boolean; readonly onChoose: (draft: RuleDraft) => void }) {
  return (
    <>
      <Text px="lg" pb="md">
        Nothing is watched here yet. {mayChange ? "Four rules most projects want:" : "Project editors can set up alerts."}
      </Text>
      {mayChange && (
        <div className={classes.suggestions}>
          {SUGGESTED.map(({ why, rule }) => (
            <div key={rule.name} className={classes.suggestion}>
              <Text fw={550}>{rule.name}</Text>
              <Text size="sm">When {ruleInWords(rule)}.</Text>
              <Dimmed>{why}</Dimmed>
              <Button size="xs" variant="default" aria-label={`Use this: ${rule.name}`} onClick={() => onChoose(rule)}>
                Use this
              </Button>
            </div>
          ))}
        </div>
      )}
    </>
  );
}
