/** A line of a table for people and spreadsheets (CSV, RFC 4180). */
export function toRecord(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map((cell) => quote(String(cell ?? ""))).join(",")}\r\n`;
}

/** For people and spreadsheets: a text that would be run as a formula is led by an apostrophe; a number stays one. */
function quote(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?[\d.]+(?:e-?\d+)?$/i.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
