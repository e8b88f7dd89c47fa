import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

const RULES_OF_COLOR = ["color-contrast", "link-in-text-block"];
/** Off by default in axe. What is pressed has 24 pixels (WCAG 2.2, 2.5.8). */
const TARGET_SIZE = { "target-size": { enabled: true } };

/** As high as the lines of code beside it; the name of the file leads to the same place (an equivalent, as the criterion has it). */
const NUMBER_OF_LINE = /aria-label="Line \d+"/;

/** What axe finds, a line a rule; a theme changes colors and nothing else, so only those are looked at in the dark. */
export async function findViolations(page: Page, theme: "light" | "dark"): Promise<readonly string[]> {
  const axe = new AxeBuilder({ page });
  const { violations } = await (theme === "light" ? axe.options({ rules: TARGET_SIZE }) : axe.withRules(RULES_OF_COLOR)).analyze();
  return violations.flatMap(({ id, help, nodes }) => {
    const found = nodes.filter(({ html }) => id !== "target-size" || !NUMBER_OF_LINE.test(html));
    return found.length === 0
      ? []
      : `${id}: ${help}: ${found.map(({ target, failureSummary }) => `${target.join(" ")} (${failureSummary})`).join(", ")}`;
  });
}
