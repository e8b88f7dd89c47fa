import { rememberCompiled } from "../client/used-prompt.ts";
import { sdkState } from "../client/sdk-state.ts";

export type PromptMessage = { readonly role: string; readonly content: string };
export type PromptTemplate = string | readonly PromptMessage[];
/** What the platform said of a prompt. */
export type KnownPrompt = {
  readonly version: number;
  readonly template: PromptTemplate;
  readonly config: Readonly<Record<string, unknown>>;
};

/** A prompt can't be compiled: a variable is missing, or nothing is known of the prompt. */
export class PromptError extends Error {
  override readonly name = "PromptError";
}

/** A version of a prompt, as `getPrompt` has it. */
export type Prompt<Template extends PromptTemplate = string> = {
  readonly name: string;
  /** Undefined of a fallback, and of nothing. */
  readonly version: number | undefined;
  /** By which it was asked for; undefined where that was a version. */
  readonly label: string | undefined;
  /** `cache`: of the platform; `disk`: what the platform last said to a process of this user; `fallback`; `none`. */
  readonly source: "cache" | "disk" | "fallback" | "none";
  /** It may have changed: the platform has not said it within `maxAge`. */
  readonly isStale: boolean;
  /** A text, or messages; undefined where nothing is known. */
  readonly template: Template | undefined;
  /** Model, parameters, tools; a copy. */
  readonly config: Readonly<Record<string, unknown>>;
  /**
   * The text, or the messages, with the values of its variables: texts as they are, all else as JSON. A model call of which this is a
   * message is recorded with the prompt's name and version.
   *
   * @throws {PromptError} which names the variables that are missing.
   */
  readonly compile: (variables?: Readonly<Record<string, unknown>>) => Template;
  /** Model calls within are recorded with this prompt, whatever their messages are: for texts that are changed after they were compiled. */
  readonly use: <T>(body: () => T) => T;
};

type PromptFacts = Pick<Prompt, "name" | "version" | "label" | "source" | "isStale"> & Partial<Pick<KnownPrompt, "template" | "config">>;

const VARIABLE = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

/** The caller says whether its template is a text or messages. */
export function createPrompt<Template extends PromptTemplate>({ template, config = {}, ...facts }: PromptFacts): Prompt<Template> {
  const { name, version } = facts;
  const reference = version === undefined ? undefined : { name, version: String(version) };
  const characteristic = template === undefined ? undefined : findCharacteristic(textsOf(template));

  function compileText(text: string, variables: Readonly<Record<string, unknown>>): string {
    const compiled = text.replace(VARIABLE, (_all, variable: string) => toText(variables[variable]));
    if (reference !== undefined && text === characteristic) {
      rememberCompiled(compiled, reference);
    }
    return compiled;
  }

  return {
    ...facts,
    template: structuredClone(template) as Template | undefined,
    config: structuredClone(config),
    compile: (variables = {}) => {
      if (template === undefined) {
        throw new PromptError(`Nothing is known of the prompt "${name}", and no fallback was given.`);
      }
      const missing = listVariables(template).filter(
        (variable) => !Object.hasOwn(variables, variable) || variables[variable] === undefined,
      );
      if (missing.length > 0) {
        throw new PromptError(`The prompt "${name}" needs ${missing.join(", ")}.`);
      }
      const compiled: PromptTemplate =
        typeof template === "string"
          ? compileText(template, variables)
          : template.map((message) => ({ ...message, content: compileText(message.content, variables) }));
      return compiled as Template;
    },
    use: (body) => sdkState.chosenPrompt.run(reference, body),
  };
}

function textsOf(template: PromptTemplate): readonly string[] {
  return typeof template === "string" ? [template] : template.map(({ content }) => content);
}

/** The text that has most of its own: others, such as a question alone, stand in calls that know nothing of the prompt. */
function findCharacteristic(texts: readonly string[]): string | undefined {
  const own = texts.map((text) => text.replace(VARIABLE, "").trim().length);
  const most = Math.max(...own);
  return most === 0 ? undefined : texts[own.indexOf(most)];
}

function listVariables(template: PromptTemplate): readonly string[] {
  return [...new Set(textsOf(template).flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name = ""]) => name)))].toSorted();
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
}
