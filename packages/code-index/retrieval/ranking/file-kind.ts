import type { FileKind } from "#contract.ts";
import { memoizeRecent } from "./memoize.ts";

/**
 * What a place counts for what its file is for. These are rules and no part of what is learned: since hardly a query of the evaluation
 * asks for a test or a document, it would teach that nobody ever wants one.
 */
export const KIND_FACTORS: Readonly<Record<FileKind | "asked", number>> = {
  asked: 1,
  source: 1,
  test: 0.04,
  example: 0.25,
  declaration: 0.25,
  document: 0.12,
  data: 0.12,
  generated: 0.1,
  vendored: 0.06,
};
/** A kind by the folders that its files are in, written as `plainFolder` does, or by the names of its files. */
type Rule = { readonly kind: FileKind; readonly folder?: RegExp; readonly file?: RegExp };

/** What is no program: data, settings of tools, how it is built and packaged, translations, changes and signatures that are kept. A number is a version. */
const DATA = new RegExp(
  String.raw`\.(?:${[
    "json5?|jsonl|ya?ml|toml|xml|xsl|xsd|csv|tsv|svg|lock|sum|mod|snap|ini|cfg|conf|config|properties|props|targets|plist|html|css|scss|less",
    "csproj|fsproj|vbproj|wixproj|sln|pbxproj|xc[a-z]+|storyboard|xib|cabal|gemspec|podspec|rockspec|manifest|dist|list|neon|api",
    "po|pot|am|ac|m4|cmake|gradle|gradle\\.kts|sbt|zon|pro|spec|supp|tmTheme|tmLanguage|sublime-syntax|DotSettings",
    String.raw`patch|diff|asc|sig|pem|crt|cer|key|\d+(?:[-.a-z]\w*)*`,
    String.raw`conf(?:ig)?\.[cm]?[jt]s`,
  ].join(
    "|",
  )})$|^\.|^(?:GNU|BSD)?[Mm]akefile|^(?:Docker|Gem|Rake|Proc|Doxy|Fast|Pod|Pip|Brew|Jenkins|Vagrant)file|^(?:CMakeLists|requirements[\w-]*)\.txt$`,
);
/** What is written about a program, whatever it ends with; in small letters `install` and `history.ts` are code. */
const ABOUT =
  /^(?:LICEN[CS]E|NOTICE|COPYING|COPYRIGHT|PATENTS|CHANGES|CHANGELOG|HISTORY|NEWS|AUTHORS|CONTRIBUTORS|MAINTAINERS|THANKS|CREDITS|TODO|INSTALL|README|UPGRADING|FAQ|KEYS)(?![A-Za-z])|^(?:[Ll]icen[cs]e|[Cc]hange[Ll]og|[Cc]opying|[Rr]eadme)(?:-[\d.]+)?$/;

/** The first that the path matches. */
const RULES: readonly Rule[] = [
  { kind: "vendored", folder: /^(?:vendor|node_modules|third[-_]?party|bower_components)$/ },
  {
    kind: "generated",
    folder: /^(?:dist|generated)$/,
    file: /\.(?:pb|pb\.gw|gen|generated|g|min|bundle)\.[a-z]+$|_(?:generated|pb2|pb2_grpc)\.[a-z]+$|_string\.go$|^(?:gradlew|mvnw)(?:\.|$)/,
  },
  {
    kind: "test",
    folder:
      /^(?:tests?|testing|testdata|testutils?|testsuite|__tests__|specs?|_?fixtures?|mocks?|regress|__mocks__|e2e|bench(?:es|marks?|suite)?|fuzz(?:ing|ers?)?)$|[._-](?:tests?|specs?)$|^tests?[._-]/,
    file: /[._-](?:test|tests|spec|bench|benchmark)\.[a-z]+$|\.feature$|^(?:test|conftest)[_-]|^(?:conftest\.py|tests?\.(?!(?:py|md|rst|ya?ml)$)[a-z]+|tests\.py)$|(?:Test|Tests|Spec|Specs|Benchmark|Bench|IT)\.(?:java|kt|scala|cs|swift|php|hs|groovy)$/,
  },
  { kind: "example", folder: /^_?(?:examples?|samples?|demos?|playgrounds?|tutorials?)$|[._-](?:examples?|samples?|demos?)$/ },
  {
    kind: "document",
    folder: /^(?:docs?|documentation|website|man|man\d)$|\.docc$/,
    file: new RegExp(String.raw`(?<!^CMakeLists|^requirements[\w-]*)\.(?:md|mdx|markdown|rst|txt|adoc|asciidoc|org)$|${ABOUT.source}`),
  },
  // Files that only declare what is defined elsewhere.
  { kind: "declaration", file: /\.d\.[cm]?ts$|\.pyi$/ },
  { kind: "data", folder: /^\./, file: DATA },
];

/** Scripts that a page loads: what they are built from stands elsewhere. */
const BUILT = /(?:^|\/)(?:static|assets|public|build)\/(?:.*\/)?[^/]+\.(?:js|css|map)$/;
/** Only the root's `deps`, as C and C++ have it and Linguist reads it. */
const ROOT_VENDORED = /^deps\//;

/** Paths of a few hundred bytes each. */
const MAX_PATHS = 10_000;

/**
 * Where the product is by convention, so that `testing` or `samples` in there are names of its own: `src/main` of Java and its like,
 * `commonMain` of Kotlin, `lib` of Elixir and Ruby, `src` of PHP.
 */
const PRODUCT = /(?:^|\/)(?:src\/(?:\w+M|m)ain\/|lib\/(?=.*\.(?:ex|rb)$)|src\/(?=.*\.php$)(?!.*\/Tests\/))/;
/** Settings of a tool only where tools look for them. */
const INNER_CONFIG = /(?:^|\/)src\/.*\.config\.[cm]?[jt]s$/;

/** What the path alone says a file is for. */
export const findFileKind: (path: string) => FileKind = memoizeRecent(MAX_PATHS, (path) => {
  const names = path.split("/");
  const file = names.pop() ?? "";
  if (ROOT_VENDORED.test(path)) {
    return "vendored";
  }
  const product = PRODUCT.exec(path);
  const folders = names.map(plainFolder);
  const outside = product === null ? folders : path.slice(0, product.index).split("/").map(plainFolder);
  const rule = RULES.find(({ kind, folder, file: named }) => {
    const isInside = product !== null && (kind === "test" || kind === "example");
    // A package of examples may be in the product, but `samples` in the middle of a name says nothing.
    const telling = isInside ? [...outside, ...(kind === "example" ? folders.slice(-1) : [])] : folders;
    return telling.some((name) => folder?.test(name) === true) || (!isInside && named?.test(file) === true);
  });
  return rule === undefined || (rule.kind === "data" && INNER_CONFIG.test(path)) ? (BUILT.test(path) ? "generated" : "source") : rule.kind;
});

/** `androidTest` and `Core.Tests` as `android-test` and `core.tests`. */
function plainFolder(name: string): string {
  return name.replaceAll(/([a-z])([A-Z])/g, "$1-$2").toLowerCase();
}
