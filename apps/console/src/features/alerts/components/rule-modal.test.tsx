// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPart } from "#testing/render-console.tsx";
import { json, refuse } from "#testing/serve.ts";
import { NEW_RULE } from "#features/alerts/suggested-rules.ts";
import { RuleModal } from "./rule-modal.tsx";

const RULES = "POST /api/observability/api/v1/projects/shop/alert-rules";

const draft = { ...NEW_RULE, name: "Many failures", metric: "error_rate", threshold: 0.1 } as const;
const { channels, ...fields } = draft;
const saved = {
  ...fields,
  id: "0190a1b2-0000-7000-8000-000000000003",
  channels: [...channels],
  is_enabled: true,
  state: "unknown",
  since: null,
  last_value: null,
  evaluated_at: null,
  problem: null,
  changed_at: "2026-01-01T00:00:00Z",
};

function open(answers = {}, onClose: () => void = () => undefined) {
  return renderPart(<RuleModal projectId="shop" draft={draft} channels={[]} onClose={onClose} />, answers);
}

describe("the form of an alert", () => {
  it("refuses a limit that is no number, and sends nothing", async () => {
    const { user, requests } = open();
    await user.clear(await screen.findByRole("textbox", { name: "Limit" }));
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect((await screen.findByRole("alert")).textContent).toContain("Write a number for the limit.");
    expect(requests).toEqual([]);
  });

  it("sends a percentage as the share that the API counts in, and closes once it is saved", async () => {
    let isClosed = false;
    const { user, requests } = open({ [RULES]: () => json(201, saved) }, () => (isClosed = true));
    await user.clear(await screen.findByRole("textbox", { name: "Limit" }));
    await user.type(screen.getByRole("textbox", { name: "Limit" }), "12.5{Enter}");
    await waitFor(() => expect(isClosed).toBe(true));
    expect(requests[0]?.body).toMatchObject({ threshold: 0.125, metric: "error_rate" });
  });

  it("makes an alert of a score against the time before, of at least so many", async () => {
    const { user, requests } = open({ [RULES]: () => json(201, saved) });
    await user.selectOptions(await screen.findByRole("combobox", { name: "Metric" }), "score_worse");
    await user.type(screen.getByRole("textbox", { name: "Name of the score" }), "helpful");
    await user.selectOptions(screen.getByRole("combobox", { name: "Time before" }), "1440");
    await user.clear(screen.getByRole("textbox", { name: "Least number of scores" }));
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByRole("alert")).toBeTruthy();
    await user.type(screen.getByRole("textbox", { name: "Least number of scores" }), "50");
    await user.clear(screen.getByRole("textbox", { name: "Limit" }));
    await user.type(screen.getByRole("textbox", { name: "Limit" }), "0.1{Enter}");
    await waitFor(() =>
      expect(requests[0]?.body).toMatchObject({
        metric: "score_worse",
        threshold: 0.1,
        filter: { score: "helpful", baseline_minutes: 1_440, min_count: 50 },
      }),
    );
  });

  it("shows what the API refuses, and keeps what was filled in", async () => {
    const { user } = open({ [RULES]: () => refuse(409, "too_many_rules", "A project has 50 alerts at the most.") });
    await user.click(await screen.findByRole("button", { name: "Save" }));
    expect((await screen.findByRole("alert")).textContent).toContain("A project has 50 alerts at the most.");
    expect(screen.getByRole("textbox", { name: "Name" })).toHaveProperty("value", "Many failures");
  });
});
