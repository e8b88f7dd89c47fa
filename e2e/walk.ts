import { randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { inspectPage } from "./browser.ts";

/** Looks at the page at the widths of a phone, a tablet and a desk: nothing overflows, and axe finds nothing in either theme where the layout is another one. */
export async function inspectWidths(page: Page, name: string): Promise<void> {
  for (const width of [390, 820, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    expect(width === 820 ? [] : await inspectPage(page, `${name}-${width}`)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `${name} at ${width}`).toBe(true);
  }
}

type Sent = {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  readonly token?: string | undefined;
};

/** @throws {Error} with the answer, where it is a refusal. */
export async function sendTo<Answer>(url: string, { method, path, body, token }: Sent): Promise<Answer> {
  const headers = { "content-type": "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const said = await answer.text();
  if (!answer.ok) {
    throw new Error(`${path}: ${answer.status} ${said}`);
  }
  return JSON.parse(said === "" ? "{}" : said) as Answer;
}

type Span = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Whether it is below the first of its trace. */
  readonly isChild?: boolean;
};

/** Sends a trace of each list of spans by OTLP; each began a nanosecond after the one before, and took half a second. */
export async function sendTraces(url: string, key: string, traces: readonly (readonly Span[])[]): Promise<void> {
  const now = BigInt(Date.now()) * 1_000_000n;
  const spans = traces.flatMap((trace, index) => {
    const [traceId, rootId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
    return trace.map(({ name, attributes, isChild = false }) => ({
      traceId,
      ...(isChild ? { spanId: randomBytes(8).toString("hex"), parentSpanId: rootId } : { spanId: rootId }),
      name,
      kind: 1,
      startTimeUnixNano: String(now + BigInt(index)),
      endTimeUnixNano: String(now + BigInt(index) + 500_000_000n),
      status: { code: 1 },
      attributes: Object.entries(attributes).map(([attribute, stringValue]) => ({ key: attribute, value: { stringValue } })),
    }));
  });
  const answer = await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
  });
  expect(answer.status).toBe(200);
}
