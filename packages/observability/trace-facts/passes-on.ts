/** What a span is recorded with that failed and gave no reason. */
export const NO_REASON = "The span ended with the status ERROR and said no more.";

/**
 * The beginning of an error that is compared, 250 characters, as every reader of steps has that much of it; of a message that another error says
 * even less, which leaves room for what is said before it. What is shorter than 10 stands in other texts by chance.
 */
const BEGINNING = /^.{0,250}/su;
const MESSAGE = /^.{10,125}/su;
/** Before a message: the name of a class, with or without its module. */
const TYPE = /^[A-Za-z_$][A-Za-z0-9_.$]*: /u;

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
