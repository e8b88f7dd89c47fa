drop table observability.masking;
