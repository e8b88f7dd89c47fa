/** What the path alone says a file is for. */
export type FileKind = "source" | "test" | "example" | "declaration" | "document" | "data" | "generated" | "vendored";

/** `deps` of the root, as C and C++ have it and Linguist reads it. */
const VENDORED = /(?:^|\/)(?:vendor|node_modules|third_?party|bower_components)\/|^deps\//;
const GENERATED =
  /(?:^|\/)(?:dist|build|generated)\/|\.(?:pb|pb\.gw|gen|generated|g|min|bundle)\.[a-z]+$|_(?:generated|pb2|pb2_grpc)\.[a-z]+$|_string\.go$/;
const TEST =
  /(?:^|\/)(?:tests?|testing|testdata|testutils?|__tests__|specs?|fixtures?|mocks?|__mocks__|e2e|benchmarks?)\/|[._-](?:test|tests|spec|bench|benchmark)\.[a-z]+$|(?:^|\/)(?:test|conftest)[_-][^/]*$|(?:Test|Tests|Spec|IT)\.(?:java|kt|scala|cs)$/;
const EXAMPLE = /(?:^|\/)(?:examples?|samples?|demos?|playground|tutorials?)\//;
const DOCUMENT =
  /\.(?:md|mdx|rst|txt|adoc)$|(?:^|\/)(?:docs?|documentation)\/|(?:^|\/)(?:LICENSE|NOTICE|CHANGELOG|AUTHORS|CONTRIBUTORS|MAINTAINERS)[^/]*$/;
/** Files that only declare what is defined elsewhere. */
const DECLARATION = /\.d\.[cm]?ts$|\.pyi$/;
const DATA = /\.(?:json|jsonl|ya?ml|toml|xml|csv|tsv|svg|lock|sum|snap|ini|properties|html|css)$/;

export function fileKindOf(path: string): FileKind {
  if (VENDORED.test(path)) {
    return "vendored";
  }
  if (GENERATED.test(path)) {
    return "generated";
  }
  if (TEST.test(path)) {
    return "test";
  }
  if (EXAMPLE.test(path)) {
    return "example";
  }
  if (DOCUMENT.test(path)) {
    return "document";
  }
  if (DECLARATION.test(path)) {
    return "declaration";
  }
  return DATA.test(path) ? "data" : "source";
}
