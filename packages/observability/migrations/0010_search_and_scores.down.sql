drop index observability.scores_by_time;
alter table observability.scores drop column author;
drop index observability.traces_by_words;
alter table observability.traces drop column words;
alter table observability.traces drop column start_words, drop column end_words;
