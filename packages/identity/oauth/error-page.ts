import type { ErrorOut, KoaContextWithOIDC } from "oidc-provider";
import { toldLater } from "./answer-later.ts";

/**
 * Renders the page for a request that is not answered to the app itself, since nobody has let it in.
 * The page has no script, and nothing of the request stands in it as HTML.
 */
export function showError(ctx: KoaContextWithOIDC, out: ErrorOut, cause: Error): void {
  const { error, error_description: description } = toldLater(cause) ?? out;
  const [title, ...lines] =
    error === "access_denied"
      ? ["The app was not let in", "It is told nothing. Close this page."]
      : [
          "The app could not be connected",
          `Its request was refused: <code>${escaped(error)}</code>${description === undefined ? "" : ` (${escaped(description)})`}.`,
          "Close this page and connect from the app once more. If that does not help, tell whoever makes the app what stands here.",
        ];
  ctx.status = Math.max(ctx.status, 400);
  ctx.type = "html";
  ctx.set("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'");
  ctx.body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} – Sightline</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 4rem auto; padding: 0 1rem; color-scheme: light dark }</style></head>
<body>
<h1>${title}</h1>
${lines.map((line) => `<p>${line}</p>`).join("\n")}
</body>
</html>
`;
}

const NAMES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return text.slice(0, 500).replaceAll(/[&<>"']/g, (letter) => NAMES[letter] ?? "");
}
