// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderPart } from "#testing/render-console.tsx";
import { ConsentForm } from "./consent-form.tsx";

const CONSENT = "/api/identity/oauth/interactions/q1/consent";
const question = {
  app: { name: "Assistant", redirect_host: "127.0.0.1:41999" },
  account: { email: "ada@example.com", name: "Ada", tenant: "Example" },
};

it("says that an app will change datasets once it is given evaluation, which goes with traces", async () => {
  const { user, requests } = renderPart(
    <ConsentForm
      uid="q1"
      question={question}
      repositories={{ data: [], error: null }}
      withStepUp={(action) => action()}
      onAnswered={() => undefined}
    />,
    { [`POST ${CONSENT}`]: { continue_to: "http://127.0.0.1:41999/" } },
  );
  const evaluation = await screen.findByRole<HTMLInputElement>("checkbox", { name: "Include evaluation" });
  expect(evaluation.disabled).toBe(true);
  expect(screen.getByText(/it changes nothing\.$/u)).toBeTruthy();
  await user.click(screen.getByRole("checkbox", { name: "Include traces" }));
  await user.click(evaluation);
  expect(screen.getByText(/adds items to datasets; it changes nothing else\.$/u)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Allow" }));
  await waitFor(() => expect(requests.find(({ path }) => path === CONSENT)?.body).toMatchObject({ traces: true, evaluation: true }));
  expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "Include evaluation" }).checked).toBe(true);
});
