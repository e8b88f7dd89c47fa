import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { readDefinitionTexts } from "./definition-text.ts";
import { readOutlines, typesWithMethodsOf, type SymbolRow } from "./read-symbols.store.ts";

const TYPES = 50;

type Method = Pick<SymbolRow, "document_id" | "name" | "start_line" | "end_line">;

/** Go says nowhere what implements an interface: types that have its methods do, as far as names and numbers of parameters tell. */
export async function notesOnMethodSets(query: TenantQuery, scope: Scope, definitions: readonly SymbolRow[]): Promise<readonly string[]> {
  // Methods are often called as the interface that asks for them.
  const defined = definitions.find(({ language, kind }) => language === "go" && kind === "interface");
  if (defined === undefined) {
    return [];
  }
  const whole = defined.scope === "" ? defined.name : `${defined.scope} › ${defined.name}`;
  const outline = await readOutlines(query, scope, [defined.document_id]);
  const own = outline.filter((row) => row.kind === "method" && row.scope === whole);
  const types = await typesWithMethodsOf(query, scope, defined, TYPES);
  const all = [...own, ...types.flatMap(({ methods }) => methods)];
  const texts = await readDefinitionTexts(query, scope, all);
  const shapes = new Map<Method, string>(all.map((method, index) => [method, shapeOf(method.name, texts[index]?.signature ?? "")]));
  const wanted = new Map(own.map((method) => [method.name, shapes.get(method)]));
  const found = types.filter(({ methods }) => methods.every((method) => ["", wanted.get(method.name)].includes(shapes.get(method))));
  const places = found.map(({ type, place }) => `${type} (${place})`);
  return places.length === 0 ? [] : [`By the names and parameters of its methods these types of Go implement it: ${places.join(", ")}.`];
}

/** How many parameters a method has, and whether it returns anything; empty where its signature is too long to tell. */
function shapeOf(name: string, signature: string): string {
  const from = signature.indexOf(`${name}(`) + name.length;
  let depth = 0;
  let parameters = 0;
  for (let at = from; at < signature.length; at++) {
    const letter = signature[at] ?? "";
    depth += "([{".includes(letter) ? 1 : ")]}".includes(letter) ? -1 : 0;
    const isComma = letter === "," && depth === 1 && !/^\s*\)/u.test(signature.slice(at + 1));
    parameters += isComma || (at === from + 1 && letter !== ")") ? 1 : 0;
    if (depth === 0) {
      return `${parameters} ${/[\w*([]/u.test(signature.slice(at + 1).replace(/\{.*|\/\/.*/su, ""))}`;
    }
  }
  return "";
}
