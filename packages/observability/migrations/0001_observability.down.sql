drop schema observability cascade;
