/** A symbol of SCIP that only its own document knows. */
export function isLocal(symbol: string): boolean {
  return symbol.startsWith("local ");
}

/** What stands behind a name, and says what it names; of a method brackets that may hold a number. */
const DESCRIPTOR = /(?:`((?:[^`]|``)*)`|([\w+$-]+))(\([\w+$-]*\)\.|[/#.:!])|[[(](?:`((?:[^`]|``)*)`|([\w+$-]+))[\])]/gu;
/** Scheme, manager, name and version of the package; a blank within is written twice. */
const PACKAGE = /^(?:(?:[^ ]|  )*(?: |$)){4}/u;

export type SymbolNames = {
  /** Its own name and what it is inside of, from the outermost; of files and modules, too. */
  readonly names: readonly string[];
  /** The definitions that it is inside of, from the outermost, without files and modules: `Server › start`. */
  readonly scope: string;
  /** The kind, as far as the symbol itself tells. */
  readonly kind: string;
};

/** How scip-python names a module itself. */
const MODULE_ITSELF = /(?<=\/)__init__:$/u;

/** The names in a symbol: `… src/`a.ts`/Server#start().` has `src`, `a.ts`, `Server`, `start`. */
export function namesOfSymbol(symbol: string): SymbolNames {
  const descriptors = [...symbol.replace(PACKAGE, "").replace(MODULE_ITSELF, "").matchAll(DESCRIPTOR)];
  const names = descriptors.map(([, quoted, plain, , quotedInner, plainInner]) =>
    (quoted ?? plain ?? quotedInner ?? plainInner ?? "").replaceAll("``", "`"),
  );
  const scope = names.slice(0, -1).filter((_name, index) => descriptors[index]?.[3] !== "/");
  const last = descriptors.at(-1);
  return {
    names,
    scope: scope.join(" › "),
    kind: isLocal(symbol) ? "local" : kindOf(last?.[3] ?? last?.[0] ?? "", descriptors.at(-2)?.[3]),
  };
}

function kindOf(suffix: string, outerSuffix: string | undefined): string {
  switch (suffix.slice(-1)) {
    case "/":
      return "module";
    case "#":
      return "type";
    case "!":
      return "macro";
    case ".":
      return suffix === "." ? (outerSuffix === "#" ? "field" : "constant") : outerSuffix === "#" ? "method" : "function";
    case "]":
      return "type parameter";
    case ")":
      return "parameter";
    default:
      return "symbol";
  }
}
