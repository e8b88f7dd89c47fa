drop table observability.text_marks, observability.step_texts, observability.text_references;
drop function observability.text_keys;
