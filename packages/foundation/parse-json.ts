/** The value of a text from outside; `undefined` when it is no JSON, which itself has no such value. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
