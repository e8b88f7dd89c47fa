drop index observability.scores_by_time;
alter table observability.scores drop column author;
drop index observability.traces_by_words;
alter table observability.traces drop column search;
alter table observability.traces drop column start_text, drop column end_text;
