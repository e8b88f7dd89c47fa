const CHARACTERS_MAX = 4_096;
const PARTS_MAX = 1_000;

/** The beginning of the texts in a value, in their order and without its keys; undefined when there is none. */
export function searchTextOf(value: unknown): string | undefined {
  let [text, parts] = ["", 0];

  function add(part: unknown): void {
    parts += 1;
    if (text.length >= CHARACTERS_MAX || parts > PARTS_MAX) {
      return;
    }
    if (typeof part === "string" || typeof part === "number") {
      text += `${text === "" ? "" : " "}${String(part).slice(0, CHARACTERS_MAX)}`;
    } else if (typeof part === "object" && part !== null) {
      for (const item of Object.values(part)) {
        add(item);
        if (parts > PARTS_MAX) {
          return;
        }
      }
    }
  }

  add(value);
  // A cut through a surrogate pair would leave what PostgreSQL does not take.
  return text === "" ? undefined : text.slice(0, CHARACTERS_MAX).toWellFormed();
}
