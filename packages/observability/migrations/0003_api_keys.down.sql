drop table observability.api_keys;
