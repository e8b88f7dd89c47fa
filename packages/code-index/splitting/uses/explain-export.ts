import { bindingAt } from "./bindings.ts";
import { importsOf, type FileImport } from "./file-imports.ts";
import { endOf, leavesNamed, spotOf, type ParsedFile, type Spot } from "./place.ts";

/** What a file has under a name for others: its own, what it imports, or what all of some module's names may be. */
export type ExplainedExport = {
  readonly own: (Spot & { readonly to: number }) | undefined;
  readonly imports: readonly FileImport[];
};

export function explainExport(file: ParsedFile, name: string): ExplainedExport {
  const imports = importsOf(file.root);
  const inner = exportedAs(file, name);
  const passed = imports.filter(({ local, name: of }) => local === inner || (local === undefined && of === undefined));
  const top = leavesNamed(file, inner).filter((leaf) =>
    /^(?:program|module|source_file|compilation_unit)$/.test(bindingAt(file.language, leaf)?.scope.type ?? ""),
  );
  const own = top.find((leaf) => bindingAt(file.language, leaf) !== undefined);
  return { own: own === undefined ? undefined : { ...spotOf(own), to: endOf(own) }, imports: passed };
}

/** The name in the file of what `export { a as name }` or `export default a` exports. */
function exportedAs({ root, language }: ParsedFile, name: string): string {
  if (!/script|tsx/.test(language)) {
    return name;
  }
  for (const node of root.descendantsOfType("export_specifier")) {
    if (node.childForFieldName("alias")?.text === name && (node.parent?.parent?.childForFieldName("source") ?? null) === null) {
      return node.childForFieldName("name")?.text ?? name;
    }
  }
  const byDefault =
    name === "default"
      ? root.descendantsOfType("export_statement").find((node) => /^export\s+default\b/.test(node.text.slice(0, 40)))
      : undefined;
  return (
    /^export\s+default\s+(?:(?:async\s+|abstract\s+)*(?:function\*?|class|interface)\s+)?([\w$]+)/.exec(
      byDefault?.text.slice(0, 200) ?? "",
    )?.[1] ?? name
  );
}
