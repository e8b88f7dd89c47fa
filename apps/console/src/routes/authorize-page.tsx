import { Paper } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useStepUp } from "#features/auth/step-up.ts";
import { consentQuestionQuery } from "#features/connections/api/connections.ts";
import { ConsentForm } from "#features/connections/components/consent-form.tsx";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { Page } from "#ui/page/page.tsx";

const route = getRouteApi("/signed-in/connect/authorize/$uid");

/** Where an app leads a browser that it opened: the person says whether it may come in. */
export function AuthorizePage() {
  const { uid } = route.useParams();
  const question = useQuery(consentQuestionQuery(uid));
  const repositories = useQuery(repositoriesQuery);
  const withStepUp = useStepUp();
  return (
    <Page>
      <PageHeader
        title={question.data === undefined ? "Connect an app" : `Let “${question.data.app.name}” read your code?`}
        documentTitle="Connect an app"
      />
      <Paper p="xl" maw={560}>
        {question.data === undefined ? (
          <Unanswered query={question} failed="The app can't be connected" loading={<LoadingRows rows={4} />} />
        ) : (
          <ConsentForm
            uid={uid}
            question={question.data}
            repositories={repositories}
            withStepUp={withStepUp}
            onAnswered={(address) => window.location.assign(address)}
          />
        )}
      </Paper>
    </Page>
  );
}
