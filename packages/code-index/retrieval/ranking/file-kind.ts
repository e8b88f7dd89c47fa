/** What the path alone says a file is for. */
export type FileKind = "source" | "test" | "example" | "declaration" | "document" | "data" | "generated" | "vendored";

/** The first that the path matches. */
const KINDS: readonly (readonly [FileKind, RegExp])[] = [
  // `deps` of the root, as C and C++ have it and Linguist reads it.
  ["vendored", /(?:^|\/)(?:vendor|node_modules|third_?party|bower_components)\/|^deps\//],
  [
    "generated",
    /(?:^|\/)(?:dist|build|generated)\/|\.(?:pb|pb\.gw|gen|generated|g|min|bundle)\.[a-z]+$|_(?:generated|pb2|pb2_grpc)\.[a-z]+$|_string\.go$/,
  ],
  [
    "test",
    /(?:^|\/)(?:tests?|testing|testdata|testutils?|__tests__|specs?|fixtures?|mocks?|__mocks__|e2e|benchmarks?)\/|[._-](?:test|tests|spec|bench|benchmark)\.[a-z]+$|(?:^|\/)(?:test|conftest)[_-][^/]*$|(?:Test|Tests|Spec|IT)\.(?:java|kt|scala|cs)$/,
  ],
  ["example", /(?:^|\/)(?:examples?|samples?|demos?|playground|tutorials?)\//],
  [
    "document",
    /\.(?:md|mdx|rst|txt|adoc)$|(?:^|\/)(?:docs?|documentation)\/|(?:^|\/)(?:LICENSE|NOTICE|CHANGELOG|AUTHORS|CONTRIBUTORS|MAINTAINERS)[^/]*$/,
  ],
  // Files that only declare what is defined elsewhere.
  ["declaration", /\.d\.[cm]?ts$|\.pyi$/],
  ["data", /\.(?:json|jsonl|ya?ml|toml|xml|csv|tsv|svg|lock|sum|snap|ini|properties|html|css)$/],
];

export function fileKindOf(path: string): FileKind {
  return KINDS.find(([, pattern]) => pattern.test(path))?.[0] ?? "source";
}
