// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderConsole } from "#testing/render-console.tsx";
import { refuse } from "#testing/serve.ts";

const OTEL = "d448f7b8a1b2c3d4e5f60718293a4b5c";
const [PROJECT, TRACE] = ["0190a1b2-0000-7000-8000-000000000100", "0190a1b2-0000-8000-8000-000000000200"];
const PLACE = `GET /api/observability/api/v1/traces/${OTEL}/place`;

it.each([`/traces/${OTEL}`, `/projects/${PROJECT}/traces/${OTEL}`])(
  "%s leads to the trace that OpenTelemetry calls so",
  async (address) => {
    const { router } = renderConsole(address, { [PLACE]: { project_id: PROJECT, trace_id: TRACE } });
    await waitFor(() => expect(router.state.location.pathname).toBe(`/projects/${PROJECT}/traces/${TRACE}`));
  },
);

it("says that no trace has the id, and asks again", async () => {
  let is = false;
  const answer = () => (is ? { project_id: PROJECT, trace_id: TRACE } : refuse(404, "trace_not_found", "There is no such trace."));
  const { user, router } = renderConsole(`/traces/${OTEL}`, { [PLACE]: answer });
  expect(await screen.findByRole("heading", { name: "No trace has this id" })).toBeTruthy();
  is = true;
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await waitFor(() => expect(router.state.location.pathname).toBe(`/projects/${PROJECT}/traces/${TRACE}`));
});
