/** The fields of an item, and of its checks, that hold values of the application, in whose numbers each digit is kept. */
export const ITEM_VALUES: ReadonlySet<string> = new Set(["input", "expected", "metadata", "value"]);
