/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Names the type in a word or two, such as `uuid`, `"asc" | "desc"` or `list of text`. */
export function renderType(schema: JsonSchema): string {
  const { type, enum: values, const: value, anyOf, oneOf, format, items } = schema;
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(values)) {
    return values.map((one) => JSON.stringify(one)).join(" | ");
  }
  if (value !== undefined) {
    return JSON.stringify(value);
  }
  if (Array.isArray(alternatives)) {
    return [...new Set(alternatives.map((one) => renderType(one as JsonSchema)))].join(" | ");
  }
  if (Array.isArray(type)) {
    return type.map((one) => renderType({ ...schema, type: one as unknown })).join(" | ");
  }
  if (type === "array") {
    return `list of ${renderType((items ?? {}) as JsonSchema)}`;
  }
  if (type === "string" && typeof format === "string" && format in FORMATS) {
    return FORMATS[format] ?? "";
  }
  return typeof type === "string" ? (NAMES[type] ?? type) : "any value";
}

/** Describes the limits of a value. */
export function renderLimits(schema: JsonSchema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  return [
    range(minimum, isSafeLimit(maximum) ? undefined : maximum, ""),
    range(minLength, maxLength, " characters"),
    range(minItems, maxItems, " items"),
    ...(schema["default"] === undefined ? [] : [`default \`${JSON.stringify(schema["default"])}\``]),
  ]
    .filter((text) => text !== "")
    .join(", ");
}

/** Lists the fields of a schema; optional ones have a question mark. */
export function renderFields(schema: JsonSchema): string {
  const { properties, required, items, anyOf, oneOf } = schema;
  const alternatives = anyOf ?? oneOf;
  if (typeof properties === "object" && properties !== null) {
    const needed = Array.isArray(required) ? required : [];
    return `{${Object.keys(properties)
      .map((name) => (needed.includes(name) ? name : `${name}?`))
      .join(", ")}}`;
  }
  if (Array.isArray(alternatives)) {
    return [...new Set(alternatives.map((one) => renderFields(one as JsonSchema)))].join(" or ");
  }
  return typeof items === "object" && items !== null ? `[${renderFields(items as JsonSchema)}]` : renderType(schema);
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(cell).join(" | ")} |`).join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/g, " ");
}

const NAMES: Readonly<Record<string, string>> = { string: "text", integer: "whole number", boolean: "true or false" };
const FORMATS: Readonly<Record<string, string>> = { uuid: "UUID", "date-time": "time (ISO 8601)", uri: "address", email: "e-mail address" };

function range(min: unknown, max: unknown, unit: string): string {
  const from = isSafeLimit(min) || min === 0 ? undefined : min;
  if (typeof from === "number" && typeof max === "number") {
    return `${from} to ${max}${unit}`;
  }
  if (typeof max === "number") {
    return `at most ${max}${unit}`;
  }
  return typeof from === "number" ? `at least ${from}${unit}` : "";
}

/** The largest safe integer is no limit that anyone meets. */
function isSafeLimit(limit: unknown): boolean {
  return typeof limit === "number" && Math.abs(limit) === Number.MAX_SAFE_INTEGER;
}
