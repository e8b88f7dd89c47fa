import { encode } from "uqr";

/** Modules of white around it, as the standard asks: scanners find it on dark pages too. */
const QUIET_ZONE = 4;

/** The text as a QR code: black on its own white, named for screen readers, one path, no script and no style. */
export function renderQrCode(text: string): string {
  const { data, size } = encode(text, { ecc: "M", border: QUIET_ZONE });
  const path = data.flatMap((row, y) => runsOf(row).map(({ x, length }) => `M${x} ${y}h${length}v1h-${length}z`)).join("");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">`,
    "<title>QR code to scan with an authenticator app</title>",
    `<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/>`,
    `<path fill="#000" d="${path}"/>`,
    "</svg>",
  ].join("");
}

/** The stretches of dark modules in a row. */
function runsOf(row: readonly boolean[]): readonly { readonly x: number; readonly length: number }[] {
  const runs: { x: number; length: number }[] = [];
  for (const [x, dark] of row.entries()) {
    const last = runs.at(-1);
    if (dark && last !== undefined && last.x + last.length === x) {
      last.length += 1;
    } else if (dark) {
      runs.push({ x, length: 1 });
    }
  }
  return runs;
}
