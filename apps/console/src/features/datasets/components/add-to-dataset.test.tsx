// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPart } from "#testing/render-console.tsx";
import { json, refuse } from "#testing/serve.ts";
import { AddToDataset } from "./add-to-dataset.tsx";

const id = (last: number) => `0190a1b2-0000-7000-8000-${String(last).padStart(12, "0")}`;
const DATASETS = "/api/observability/api/v1/projects/shop/datasets";
const dataset = {
  id: id(1),
  name: "refunds",
  description: "",
  version: 0,
  items: 0,
  input_schema: null,
  expected_schema: null,
  created_by: "operator",
  created_at: "2026-11-28T10:00:00.000Z",
  changed_at: "2026-11-28T10:00:00.000Z",
};
const added = { version: 1, items: [{ id: id(2), state: "added" }], matching: 1 };

const OF_STEP = { traceIds: [id(10)], step: { id: id(11), name: "verify" } };

function open(datasets: readonly unknown[], answers = {}, of: Partial<Parameters<typeof AddToDataset>[0]> = OF_STEP) {
  const part = <AddToDataset projectId="shop" {...of} onClose={() => undefined} />;
  return renderPart(part, {
    [`GET ${DATASETS}`]: { items: datasets, next_cursor: null },
    [`POST ${DATASETS}`]: () => json(201, dataset),
    [`POST ${DATASETS}/${id(1)}/items/from-traces`]: added,
    ...answers,
  });
}

describe("adding a trace to a dataset", () => {
  it("adds the step that is selected to the newest dataset, with what was expected", async () => {
    const { user, requests } = open([dataset]);
    await waitFor(() => expect(screen.getByRole("combobox", { name: "Dataset" })).toHaveProperty("value", "refunds"));
    await user.type(screen.getByRole("textbox", { name: "Expected" }), "A refund of 5");
    await user.click(screen.getByRole("button", { name: "Add" }));
    expect((await screen.findByRole("status")).textContent).toContain("1 item added in version 1.");
    expect(requests.find(({ method }) => method === "POST")?.body).toEqual({
      traces: [{ trace_id: id(10), observation_id: id(11) }],
      expected: "A refund of 5",
    });
  });

  it("makes the first dataset, and adds the whole trace to it", async () => {
    const { user, requests } = open([]);
    await user.type(await screen.findByRole("textbox", { name: "Name of the new dataset" }), "refunds");
    await user.click(screen.getByRole("radio", { name: "Whole trace" }));
    await user.click(screen.getByRole("button", { name: "Add" }));
    await screen.findByRole("link", { name: "Open the dataset" });
    const sent = requests.filter(({ method }) => method === "POST").map(({ body }) => body);
    expect(sent).toEqual([{ name: "refunds" }, { traces: [{ trace_id: id(10) }] }]);
  });

  it("adds a sample of what a query finds, and the traces of a session", async () => {
    const drawn = open([dataset], {}, { from: { q: "status:failure", count: 1234 } });
    await waitFor(() => expect(screen.getByRole("combobox", { name: "Dataset" })).toHaveProperty("value", "refunds"));
    await drawn.user.clear(screen.getByRole("textbox", { name: "Traces to draw" }));
    await drawn.user.type(screen.getByRole("textbox", { name: "Traces to draw" }), "20");
    await drawn.user.selectOptions(screen.getByRole("combobox", { name: "Drawn" }), "As many of each status");
    await drawn.user.click(screen.getByRole("button", { name: "Add" }));
    await screen.findByRole("status");
    expect(drawn.requests.find(({ method }) => method === "POST")?.body).toEqual({
      from: { q: "status:failure", sample: { size: 20, by: "status" } },
    });
    cleanup();
    const session = open([dataset], {}, { from: { session_id: "visit", count: 3 } });
    await waitFor(() => expect(screen.getByRole("combobox", { name: "Dataset" })).toHaveProperty("value", "refunds"));
    await session.user.click(screen.getByRole("button", { name: "Add" }));
    await screen.findByRole("status");
    expect(session.requests.find(({ method }) => method === "POST")?.body).toEqual({ from: { session_id: "visit" } });
  });

  it("says why nothing was added", async () => {
    const { user } = open([dataset], {
      [`POST ${DATASETS}/${id(1)}/items/from-traces`]: () => refuse(404, "trace_not_found", "There is no such trace."),
    });
    await waitFor(() => expect(screen.getByRole("button", { name: "Add" })).toHaveProperty("disabled", false));
    await user.click(screen.getByRole("button", { name: "Add" }));
    expect((await screen.findByRole("alert")).textContent).toContain("There is no such trace.");
  });

  it("says that it is there already", async () => {
    const { user } = open([dataset], {
      [`POST ${DATASETS}/${id(1)}/items/from-traces`]: { version: 1, items: [{ id: id(2), state: "duplicate", of: id(3) }], matching: 1 },
    });
    await waitFor(() => expect(screen.getByRole("button", { name: "Add" })).toHaveProperty("disabled", false));
    await user.click(screen.getByRole("button", { name: "Add" }));
    expect((await screen.findByRole("status")).textContent).toContain("Nothing was added. 1 was there already.");
  });
});
