import { Button, Modal, NativeSelect, Stack, Text } from "@mantine/core";
import { describeCheck, type EvaluatorDefinition, type JudgeDetail } from "@sightline/observability/contract";
import { IconGavel } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { deleteJudge, judgeQuery, judgesKey } from "#features/judges/api/judges.ts";
import { CalibrationPanel } from "#features/judges/components/calibration.tsx";
import { EvaluatorForm } from "#features/judges/components/evaluator-form.tsx";
import { JudgeRules } from "#features/judges/components/judge-rules.tsx";
import { meansInWords } from "#features/judges/components/judgement-states.ts";
import { JudgementTable } from "#features/judges/components/judgement-table.tsx";
import { projectQuery } from "#features/projects/api/projects.ts";
import { useChange } from "#http/use-change.ts";
import { ConfirmDialog } from "#ui/kit/dialogs.tsx";
import { Section } from "#ui/kit/panel.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { formatDate } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { PageOfOne } from "./page-skeletons.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/evaluators/$evaluatorId");

export function EvaluatorPage() {
  const { projectId, evaluatorId } = route.useParams();
  const judge = useQuery(judgeQuery(projectId, evaluatorId));
  return (
    <PageOfOne what="evaluator" projectId={projectId} query={judge} icon={<IconGavel />}>
      {(found) => <WholeEvaluator key={evaluatorId} judge={found} />}
    </PageOfOne>
  );
}

function WholeEvaluator({ judge }: { readonly judge: JudgeDetail }) {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const { data: project } = useQuery(projectQuery(projectId));
  const [doing, setDoing] = useState<"change" | "delete">();
  const close = () => setDoing(undefined);
  const mayChange = project !== undefined && project.my_role !== "viewer";
  const remove = useChange({
    send: () => deleteJudge(projectId, judge.id),
    refreshes: [judgesKey(projectId)],
    onSuccess: () => void navigate({ to: "/projects/$projectId/evaluators", params: { projectId } }),
  });
  const [read, setRead] = useState(judge.version);
  const shown = judge.versions.find(({ version }) => version === read) ?? judge;
  return (
    <>
      <PageHeader
        title={<SafeText text={judge.name} />}
        documentTitle={`${judge.name} · Evaluator`}
        description={`Version ${judge.version}, by ${meansInWords(judge.definition)}`}
      >
        {mayChange && (
          <>
            <Button variant="default" onClick={() => setDoing("delete")}>
              Delete
            </Button>
            <Button onClick={() => setDoing("change")}>Change</Button>
          </>
        )}
      </PageHeader>
      <Stack gap="lg">
        <JudgeRules projectId={projectId} judge={judge} mayChange={mayChange} />
        {judge.definition.kind !== "checks" && <CalibrationPanel projectId={projectId} judge={judge} />}
        <JudgementTable projectId={projectId} judge={judge} />
        <Section title={judge.definition.kind === "checks" ? "Checks" : "Rubric"}>
          <NativeSelect
            label="Version"
            mb="md"
            maw={320}
            data={judge.versions.map(({ version, definition, made_at: at }) => ({
              value: String(version),
              label: `${version}: ${meansInWords(definition)}, ${formatDate(new Date(at))}`,
            }))}
            value={String(read)}
            onChange={({ currentTarget }) => setRead(Number(currentTarget.value))}
          />
          <Text style={{ whiteSpace: "pre-wrap" }}>
            <SafeText text={wordsOf(shown.definition)} />
          </Text>
        </Section>
      </Stack>
      {doing === "change" && (
        <Modal opened onClose={close} title={`A new version of “${judge.name}”`} size="xl">
          <EvaluatorForm
            projectId={projectId}
            judge={judge}
            onSaved={({ version }) => {
              setRead(version);
              close();
            }}
            onCancel={close}
          />
        </Modal>
      )}
      <ConfirmDialog
        opened={doing === "delete"}
        title={`Delete “${judge.name}”?`}
        change={remove}
        failed="It was not deleted"
        onConfirm={() => remove.mutate()}
        onClose={close}
      >
        <Text>It judges nothing any more. The scores that it gave stay.</Text>
      </ConfirmDialog>
    </>
  );
}

function wordsOf(definition: EvaluatorDefinition): string {
  return definition.kind === "checks" ? definition.checks.map((check) => check.name ?? describeCheck(check)).join("\n") : definition.rubric;
}
