drop table codeindex.git_reads;
