// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderPart } from "#testing/render-console.tsx";
import { Channels } from "./channels.tsx";

const PROJECT = "0190a1b2-0000-7000-8000-000000000100";
const PATH = `POST /api/observability/api/v1/projects/${PROJECT}/alert-channels`;

it("asks of each kind what it needs, and leaves the usual address to the server", async () => {
  const { user, requests } = renderPart(<Channels projectId={PROJECT} channels={[]} mayChange />, { [PATH]: {} });
  const sent = () => requests.flatMap(({ method, body }) => (method === "POST" ? [body] : []));
  await user.selectOptions(await screen.findByLabelText("Kind"), "PagerDuty");
  await user.type(screen.getByLabelText("Name"), "On call");
  await user.click(screen.getByRole("button", { name: "Add channel" }));
  expect(await screen.findByText(/^Write the integration’?'?s key/)).toBeTruthy();
  await user.type(screen.getByLabelText(/^Integration key/), "R0123456789");
  await user.click(screen.getByRole("button", { name: "Add channel" }));
  await waitFor(() => expect(sent()).toEqual([{ name: "On call", kind: "pagerduty", key: "R0123456789" }]));
  await user.selectOptions(screen.getByLabelText("Kind"), "E-mail");
  await user.type(screen.getByLabelText(/^To /u), "nobody");
  await user.click(screen.getByRole("button", { name: "Add channel" }));
  expect(await screen.findByText(/^Write one address/)).toBeTruthy();
});
