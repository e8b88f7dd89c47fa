// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderPart } from "#testing/render-console.tsx";
import { LostProducers } from "./lost-producers.tsx";

const PROJECT = "0190a1b2-0000-7000-8000-000000000100";
const producer = { sdk: "sightline-sdk 0.5.0", runtime: "Python 3.12.1", host: "worker-3", pid: 4711 };
const at = "2026-11-28T10:00:00.000Z";

it("says which processes ended without a goodbye, so that nobody waits for their traces", async () => {
  renderPart(<LostProducers projectId={PROJECT} />, {
    [`GET /api/observability/api/v1/projects/${PROJECT}/lost-producers`]: {
      items: [{ producer_id: PROJECT, producer, first_event_at: at, last_event_at: at }],
      total: 1,
    },
  });
  expect((await screen.findByText(/^1 process ended without a goodbye/)).textContent).toContain("what it had not sent yet is missing");
  expect(screen.getByRole("listitem").textContent).toContain("worker-3, process 4711");
});
