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

/** What is no program: data, settings of tools, what packages are described by, changes and signatures that are kept. A number is a version. */
const DATA = new RegExp(
  String.raw`\.(?:${[
    "json5?|jsonl|ya?ml|toml|xml|xsl|xsd|csv|tsv|svg|lock|sum|mod|snap|ini|cfg|conf|config|properties|props|targets|plist|html|css|scss|less",
    "csproj|fsproj|vbproj|wixproj|sln|pbxproj|xcscheme|storyboard|xib|cabal|gemspec|podspec|rockspec|manifest|dist|list|neon|api",
    String.raw`patch|diff|asc|sig|pem|crt|cer|key|\d+(?:[-.a-z]\w*)*`,
    String.raw`conf(?:ig)?\.[cm]?[jt]s`,
  ].join("|")})$|^\.`,
);

/** The first that the path matches. */
const RULES: readonly Rule[] = [
  { kind: "vendored", folder: /^(?:vendor|node_modules|third[-_]?party|bower_components)$/ },
  {
    kind: "generated",
    folder: /^(?:dist|build|generated)$/,
    file: /\.(?:pb|pb\.gw|gen|generated|g|min|bundle)\.[a-z]+$|_(?:generated|pb2|pb2_grpc)\.[a-z]+$|_string\.go$/,
  },
  {
    kind: "test",
    folder:
      /^(?:tests?|testing|testdata|testutils?|testsuite|__tests__|specs?|fixtures?|mocks?|__mocks__|e2e|bench(?:es|marks?|suite)?|fuzz(?:ing|ers?)?)$|[._-](?:tests?|specs?)$|^tests?[._-]/,
    file: /[._-](?:test|tests|spec|bench|benchmark)\.[a-z]+$|\.feature$|^(?:test|conftest)[_-]|^(?:conftest\.py|tests?\.[a-z]+)$|(?:Test|Tests|Spec|Specs|Benchmark|Bench|IT)\.(?:java|kt|scala|cs|swift|php|hs|groovy)$/,
  },
  { kind: "example", folder: /^_?(?:examples?|samples?|demos?|playgrounds?|tutorials?)$|[._-](?:examples?|samples?|demos?)$/ },
  {
    kind: "document",
    folder: /^(?:docs?|documentation|website|man|man\d)$/,
    file: /\.(?:md|mdx|markdown|rst|txt|adoc|asciidoc|org)$|^(?:LICENSE|NOTICE|CHANGELOG|AUTHORS|CONTRIBUTORS|MAINTAINERS)/,
  },
  // Files that only declare what is defined elsewhere.
  { kind: "declaration", file: /\.d\.[cm]?ts$|\.pyi$/ },
  { kind: "data", folder: /^\./, file: DATA },
];

/** Scripts that a page loads: what they are built from stands elsewhere. */
const BUILT = /(?:^|\/)(?:static|assets|public)\/(?:.*\/)?[^/]+\.(?:js|css|map)$/;
/** Only the root's `deps`, as C and C++ have it and Linguist reads it. */
const ROOT_VENDORED = /^deps\//;

/** Paths of a few hundred bytes each. */
const MAX_PATHS = 10_000;

/** What the path alone says a file is for. */
export const findFileKind: (path: string) => FileKind = memoizeRecent(MAX_PATHS, (path) => {
  const names = path.split("/");
  const file = names.pop() ?? "";
  const folders = names.map(plainFolder);
  if (ROOT_VENDORED.test(path)) {
    return "vendored";
  }
  const rule = RULES.find(({ folder, file: named }) => folders.some((name) => folder?.test(name) === true) || named?.test(file) === true);
  return rule?.kind ?? (BUILT.test(path) ? "generated" : "source");
});

/** `androidTest` and `Core.Tests` as `android-test` and `core.tests`. */
function plainFolder(name: string): string {
  return name.replaceAll(/([a-z])([A-Z])/g, "$1-$2").toLowerCase();
}
