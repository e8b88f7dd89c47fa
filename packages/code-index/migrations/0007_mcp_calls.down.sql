drop table codeindex.mcp_cancellations;
drop table codeindex.mcp_allowances;
