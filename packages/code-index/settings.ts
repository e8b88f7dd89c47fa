/** What is read before anything of the code index is loaded: it loads nothing but what checks it. */
export { codeIndexVariables, indexerVariables, type CodeIndexConfig } from "./config.ts";
export { problemsOfEmbedder } from "./embedding/create-embedder.ts";
export { problemsOfReranker } from "./retrieval/ranking/reranking-model.ts";
