const KEPT_MS = 60_000;

/** Gives the browser a file to keep under this name. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser may only begin to read it after the click.
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}

export function saveJson(value: unknown, name: string): void {
  saveFile(new Blob([JSON.stringify(value, null, 2) ?? "null"], { type: "application/json" }), name);
}
