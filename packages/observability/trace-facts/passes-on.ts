/** What a span is recorded with that failed and gave no reason. */
export const NO_REASON = "The span ended with the status ERROR and said no more.";

/**
 * How errors are compared, here and in SQL (`store/count-failures.ts`). Of an error only its beginning is, as every reader of steps has that
 * much of it; of a message that another error says even less, which leaves room for what is said before it.
 */
export const COMPARED = {
  /** Characters of an error. */
  error: 250,
  /** Characters of a message that another error says: what is shorter stands in other texts by chance. */
  message: [10, 125],
  /** Before a message: the name of a class, with or without its module. */
  type: "^[A-Za-z_$][A-Za-z0-9_.$]*: ",
} as const;

const BEGINNING = new RegExp(`^.{0,${COMPARED.error}}`, "su");
const MESSAGE = new RegExp(`^.{${COMPARED.message.join(",")}}`, "su");
const TYPE = new RegExp(COMPARED.type, "u");

/** The part of an error that is compared; empty when it gives no reason. */
export function reasonIn(error: string | null): string {
  const [beginning = ""] = BEGINNING.exec(error ?? "") ?? [];
  return beginning === NO_REASON ? "" : beginning;
}

/**
 * Whether a step that failed passes on the failure of a step right below it. It does when it gives no reason of its own, when its error says
 * the whole text of the other's up to the end of a line, or when it says the other's message, unless that is short.
 */
export function passesOn(error: string | null, below: string | null): boolean {
  const [own, other] = [reasonIn(error), reasonIn(below)];
  if (own === "" || other === "") {
    return own === "";
  }
  const message = MESSAGE.exec(other.replace(TYPE, ""))?.[0];
  return ` ${own}\n`.includes(` ${other}\n`) || (message !== undefined && own.includes(message));
}
